package place

import (
	"context"
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
	// settingsAge is how long a setting that was changed on another replica may
	// still be used as it was. Changes made here are seen at once.
	settingsAge = 500 * time.Millisecond
	// settingsOld is the same for whether and where a message is taken, while the
	// record takes settingsSlow or longer to say: platforms want a message to be
	// acknowledged within seconds, after it is committed.
	settingsOld  = time.Minute
	settingsSlow = 250 * time.Millisecond
)

// maxKnown bounds how many places' settings are kept.
const maxKnown = 4096

// knownSettings keeps for a moment what the record said: a message is looked up
// when it comes and again when it is answered.
type knownSettings struct {
	record bot.Settings
	now    func() time.Time
	slow   atomic.Bool // the record took long for the last answer

	mu      sync.Mutex
	rows    map[string]knownRows // by place
	reading map[string]bool      // what is looked up again beside: places, joined
	changes int                  // what was read before a change is not kept after it
}

type knownRows struct {
	rows []bot.Setting
	at   time.Time
}

// of returns the settings of the places.
func (k *knownSettings) of(ctx context.Context, places []string) ([]bot.Setting, error) {
	have, changes, ok := k.have(places, settingsAge)
	if ok {
		return have, nil
	}
	now := k.now()
	rows, err := k.record.SettingsOf(ctx, places)
	if err != nil {
		return nil, err
	}
	k.slow.Store(k.now().Sub(now) >= settingsSlow)
	k.keep(places, rows, now, changes)
	return rows, nil
}

// soon is of for what a platform waits for. With a slow record what was known of
// the places a while ago is enough, and refresh is told to look again.
func (k *knownSettings) soon(ctx context.Context, places []string, refresh func(func(context.Context))) ([]bot.Setting, error) {
	if !k.slow.Load() {
		return k.of(ctx, places)
	}
	rows, _, ok := k.have(places, settingsOld)
	if !ok {
		return k.of(ctx, places)
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
			_, _ = k.of(ctx, places) // what fails here fails where it matters
			k.mu.Lock()
			defer k.mu.Unlock()
			delete(k.reading, key)
		})
	}
	return rows, nil
}

// have returns what is known of all places, if none of it is older than age, and
// how many changes there were.
func (k *knownSettings) have(places []string, age time.Duration) (rows []bot.Setting, changes int, ok bool) {
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

// keep remembers what the record said of places, unless something was changed
// meanwhile.
func (k *knownSettings) keep(places []string, rows []bot.Setting, at time.Time, changes int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.changes != changes {
		return
	}
	if k.rows == nil || len(k.rows) >= maxKnown {
		k.rows = map[string]knownRows{}
	}
	for _, p := range places {
		k.rows[p] = knownRows{at: at}
	}
	for _, r := range rows {
		known := k.rows[r.Place]
		known.rows = append(known.rows, r)
		k.rows[r.Place] = known
	}
}

// set changes a setting and forgets what was known.
func (k *knownSettings) set(ctx context.Context, s bot.Setting) error {
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.rows = nil
		k.changes++
	}()
	return k.record.SetSetting(ctx, s)
}

// Set changes a setting, with its audit entry. The change holds at once.
func (r *Rules) Set(ctx context.Context, s bot.Setting) error { return r.known.set(ctx, s) }

// Defaults are the settings of a place in which nobody has set anything.
func (r *Rules) Defaults() config.Resolved { return r.cfg.Resolve(nil) }

// Settings resolves what holds for a person in a thread.
func (r *Rules) Settings(ctx context.Context, t bot.Thread, u bot.User) (config.Resolved, error) {
	places := t.Places(u)
	rows, err := r.known.of(ctx, places)
	if err != nil {
		return config.Resolved{}, fmt.Errorf("read settings: %w", err)
	}
	return r.resolve(t.Platform, places, rows), nil
}

// SettingsSoon is Settings for whether and where a message is taken: while the record is
// slow it answers from memory and has refresh look again in the background. A thread
// that the message begins has no settings of its own yet.
func (r *Rules) SettingsSoon(ctx context.Context, m bot.Message, refresh func(func(context.Context))) (config.Resolved, error) {
	places := m.Thread.Places(m.User)
	asked := places
	if m.Thread.ID == m.ID {
		asked = slices.DeleteFunc(slices.Clone(places), func(p string) bool { return p == m.Thread.Key() })
	}
	rows, err := r.known.soon(ctx, asked, refresh)
	if err != nil {
		return config.Resolved{}, fmt.Errorf("read settings: %w", err)
	}
	return r.resolve(m.Thread.Platform, places, rows), nil
}

// SettingsNow is Settings as they are at this moment, for what carries
// authority: nothing that was known a moment ago counts.
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
	if _, chosen := out.From["reply_in_thread"]; !chosen {
		out.ReplyInThread = !r.cfg.Facts(platform).AnswersInChannel
	}
	return out
}

// Language returns the language in which a person is told something outside a
// run, from the text they wrote, if any. A record that cannot be read does not
// keep them from being told.
func (r *Rules) Language(ctx context.Context, t bot.Thread, u bot.User, text string) string {
	set, err := r.Settings(ctx, t, u)
	if err != nil {
		set = r.cfg.Resolve(nil)
	}
	return phrase.LanguageOf(set.Language, text, u.Locale)
}
