package place

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"maru/bot"
	"maru/config"
	"maru/phrase"
)

const (
	// settingsAge is the lifetime of a cached setting: changes on other replicas take
	// effect after it, changes of this process at once.
	settingsAge = 500 * time.Millisecond
	// settingsStale is the lifetime for accepting messages while the record takes
	// settingsSlow or longer: platforms want an acknowledgement within seconds.
	settingsStale = time.Minute
	settingsSlow  = 250 * time.Millisecond
)

// maxCached bounds the number of cached places.
const maxCached = 4096

// settingsCache caches rows by place for a moment: a message needs its settings when it
// arrives and again when it is answered.
type settingsCache struct {
	record bot.Settings
	now    func() time.Time
	slow   atomic.Bool // the record took long for the last answer

	mu      sync.Mutex
	rows    map[string]cachedRows // by place
	reading map[string]bool       // what is looked up again beside: places, joined
	changes int                   // what was read before a change is not kept after it
}

type cachedRows struct {
	rows []bot.Setting
	at   time.Time
}

// get returns the rows of the places.
func (k *settingsCache) get(ctx context.Context, places []string) ([]bot.Setting, error) {
	have, changes, ok := k.cached(places, settingsAge)
	if ok {
		return have, nil
	}
	now := k.now()
	rows, err := k.record.SettingsOf(ctx, places)
	if err != nil {
		return nil, err
	}
	k.slow.Store(k.now().Sub(now) >= settingsSlow)
	k.put(places, rows, now, changes)
	return rows, nil
}

// getSoon is get for callers that a platform waits for. While the record is slow it
// returns rows up to settingsStale old and starts a refresh.
func (k *settingsCache) getSoon(ctx context.Context, places []string, refresh func(func(context.Context))) ([]bot.Setting, error) {
	if !k.slow.Load() {
		return k.get(ctx, places)
	}
	rows, _, ok := k.cached(places, settingsStale)
	if !ok {
		return k.get(ctx, places)
	}
	key := strings.Join(places, "\n")
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.reading == nil {
		k.reading = map[string]bool{}
	}
	if !k.reading[key] {
		k.reading[key] = true
		refresh(func(ctx context.Context) {
			_, _ = k.get(ctx, places) // what fails here fails where it matters
			k.mu.Lock()
			defer k.mu.Unlock()
			delete(k.reading, key)
		})
	}
	return rows, nil
}

// cached returns the cached rows of all places, if none is older than age, and the number
// of changes so far.
func (k *settingsCache) cached(places []string, age time.Duration) (rows []bot.Setting, changes int, ok bool) {
	now := k.now()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range places {
		known, ok := k.rows[p]
		if !ok || now.Sub(known.at) >= age {
			return nil, k.changes, false
		}
		rows = append(rows, known.rows...)
	}
	return rows, k.changes, true
}

// put caches rows, unless a setting was changed since they were read.
func (k *settingsCache) put(places []string, rows []bot.Setting, at time.Time, changes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.changes != changes {
		return
	}
	if k.rows == nil || len(k.rows) >= maxCached {
		k.rows = map[string]cachedRows{}
	}
	for _, p := range places {
		k.rows[p] = cachedRows{at: at}
	}
	for _, r := range rows {
		known := k.rows[r.Place]
		known.rows = append(known.rows, r)
		k.rows[r.Place] = known
	}
}

// set changes a setting and clears the cache.
func (k *settingsCache) set(ctx context.Context, s bot.Setting) error {
	defer k.clear()
	return k.record.SetSetting(ctx, s)
}

// swap changes settings together if their values still are those found, and clears the cache.
func (k *settingsCache) swap(ctx context.Context, list, found []bot.Setting) (bool, error) {
	if len(list) == 0 {
		return true, nil
	}
	defer k.clear()
	before := make([]json.RawMessage, len(list))
	for i, s := range list {
		before[i] = ValueOf(found, s.Place, s.Key)
	}
	return k.record.SwapSettings(ctx, list, before)
}

func (k *settingsCache) clear() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.rows = nil
	k.changes++
}

// Set changes a setting and commits its audit entry with it. It takes effect at once.
func (r *Rules) Set(ctx context.Context, s bot.Setting) error { return r.cache.set(ctx, s) }

// SetIf is Set of several settings together whose values were made from those found: it reports false, and changes nothing, if
// one of them no longer is as found. Another replica may have changed it.
func (r *Rules) SetIf(ctx context.Context, list, found []bot.Setting) (bool, error) {
	return r.cache.swap(ctx, list, found)
}

// Amend stores a setting that make derives from the settings that hold now. If another change of it comes in between, it begins
// again; each such attempt is another change's success.
func (r *Rules) Amend(ctx context.Context, t bot.Thread, u bot.User, place, key string, make func(config.Resolved) (bot.Setting, error)) error {
	for {
		rows, err := r.cfg.Record.SettingsOf(ctx, []string{place})
		if err != nil {
			return fmt.Errorf("read settings: %w", err)
		}
		set, err := r.SettingsNow(ctx, t, u) // read after it: a change in between fails the exchange
		if err != nil {
			return err
		}
		row, err := make(set)
		if err != nil {
			return err
		}
		if done, err := r.SetIf(ctx, []bot.Setting{row}, rows); err != nil {
			return fmt.Errorf("store setting: %w", err)
		} else if done {
			return nil
		}
	}
}

// ValueOf returns the value of a setting among rows, nil if it is not set.
func ValueOf(rows []bot.Setting, place, key string) json.RawMessage {
	for _, row := range rows {
		if row.Place == place && row.Key == key {
			return row.Value
		}
	}
	return nil
}

// Defaults returns the settings of a place in which nobody has set anything.
func (r *Rules) Defaults() config.Resolved { return r.cfg.Resolve(nil) }

// Settings returns the merged settings for a person in a thread.
func (r *Rules) Settings(ctx context.Context, t bot.Thread, u bot.User) (config.Resolved, error) {
	places := t.Places(u)
	rows, err := r.cache.get(ctx, places)
	if err != nil {
		return config.Resolved{}, fmt.Errorf("read settings: %w", err)
	}
	return r.resolve(t.Platform, places, rows), nil
}

// SettingsSoon is Settings for accepting a message: while the record is slow it answers
// from the cache and calls refresh to update it in the background. A thread that the
// message begins has no settings of its own yet.
func (r *Rules) SettingsSoon(ctx context.Context, m bot.Message, refresh func(func(context.Context))) (config.Resolved, error) {
	places := m.Thread.Places(m.User)
	asked := places
	if m.Thread.ID == m.ID {
		asked = slices.DeleteFunc(slices.Clone(places), func(p string) bool { return p == m.Thread.Key() })
	}
	rows, err := r.cache.getSoon(ctx, asked, refresh)
	if err != nil {
		return config.Resolved{}, fmt.Errorf("read settings: %w", err)
	}
	return r.resolve(m.Thread.Platform, places, rows), nil
}

// SettingsNow is Settings without the cache, for decisions about rights.
func (r *Rules) SettingsNow(ctx context.Context, t bot.Thread, u bot.User) (config.Resolved, error) {
	places := t.Places(u)
	rows, err := r.cfg.Record.SettingsOf(ctx, places)
	if err != nil {
		return config.Resolved{}, fmt.Errorf("read settings: %w", err)
	}
	return r.resolve(t.Platform, places, rows), nil
}

// resolve merges the rows of the places on a platform.
func (r *Rules) resolve(platform string, places []string, rows []bot.Setting) config.Resolved {
	var set []config.Entry
	for _, row := range rows {
		for i, place := range places {
			if row.Place == place {
				set = append(set, config.Entry{Level: config.Workspace + config.Level(i), Key: row.Key, Value: row.Value})
			}
		}
	}
	out := r.cfg.Resolve(set)
	out.Means.Allowed = r.allowed(places[1], rows)
	if _, chosen := out.From["reply_in_thread"]; !chosen {
		out.ReplyInThread = !r.cfg.Facts(platform).AnswersInChannel
	}
	return out
}

// Language returns the language for messages to a person outside of a run, guessed from
// their text if the place has none set. If the record cannot be read, the program's
// default applies.
func (r *Rules) Language(ctx context.Context, t bot.Thread, u bot.User, text string) string {
	set, err := r.Settings(ctx, t, u)
	if err != nil {
		set = r.cfg.Resolve(nil)
	}
	return phrase.LanguageOf(set.Language, text, u.Locale)
}
