package bot

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"maru/config"
)

// settingsAge is how long a setting that was changed on another replica may
// still be used as it was. Changes made here are seen at once.
const settingsAge = 500 * time.Millisecond

// maxKnown bounds how many places' settings are kept.
const maxKnown = 4096

// knownSettings keeps for a moment what the record said: a message is looked up
// when it comes and again when it is answered.
type knownSettings struct {
	record Settings
	now    func() time.Time

	mu      sync.Mutex
	rows    map[string]knownRows
	changes int // what was read before a change is not kept after it
}

type knownRows struct {
	rows []Setting
	at   time.Time
}

// of returns the settings of the places.
func (k *knownSettings) of(ctx context.Context, places []string) ([]Setting, error) {
	key := strings.Join(places, "\n")
	now := k.now()
	k.mu.Lock()
	have, ok := k.rows[key]
	changes := k.changes
	k.mu.Unlock()
	if ok && now.Sub(have.at) < settingsAge {
		return have.rows, nil
	}
	rows, err := k.record.SettingsOf(ctx, places)
	if err != nil {
		return nil, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.changes != changes {
		return rows, nil
	}
	if k.rows == nil || len(k.rows) >= maxKnown {
		k.rows = map[string]knownRows{}
	}
	k.rows[key] = knownRows{rows: rows, at: now}
	return rows, nil
}

// set changes a setting and forgets what was known.
func (k *knownSettings) set(ctx context.Context, s Setting) error {
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.rows = nil
		k.changes++
	}()
	return k.record.SetSetting(ctx, s)
}

// personPlace begins the place of what people set for themselves.
const personPlace = "user:"

// placesOf lists where a setting can be set for a message, in the order of
// their levels from config.Workspace on.
func placesOf(t Thread, u User) []string {
	team := t.TeamKey()
	return []string{team, team + "/" + esc(t.Channel), t.Key(), personPlace + userKey(t, u)}
}

// settings resolves what holds for a person in a thread.
func (b *Bot) settings(ctx context.Context, t Thread, u User) (config.Resolved, error) {
	places := placesOf(t, u)
	rows, err := b.known.of(ctx, places)
	if err != nil {
		return config.Resolved{}, fmt.Errorf("read settings: %w", err)
	}
	return b.resolve(t.Platform, places, rows), nil
}

// settingsNow is settings as they are at this moment, for what carries
// authority: nothing that was known a moment ago counts.
func (b *Bot) settingsNow(ctx context.Context, t Thread, u User) (config.Resolved, error) {
	places := placesOf(t, u)
	rows, err := b.cfg.Record.SettingsOf(ctx, places)
	if err != nil {
		return config.Resolved{}, fmt.Errorf("read settings: %w", err)
	}
	return b.resolve(t.Platform, places, rows), nil
}

// resolve puts together what was set in places of a platform.
func (b *Bot) resolve(platform string, places []string, rows []Setting) config.Resolved {
	var set []config.Entry
	for _, row := range rows {
		for i, place := range places {
			if row.Place == place {
				set = append(set, config.Entry{Level: config.Workspace + config.Level(i), Key: row.Key, Value: row.Value})
			}
		}
	}
	out := b.cfg.Resolve(set)
	if _, chosen := out.From["reply_in_thread"]; !chosen {
		a, ok := b.adapters[platform].(ChannelAnswerer)
		out.ReplyInThread = !ok || !a.AnswersInChannel()
	}
	return out
}

// language returns the language in which a person is told something outside a
// run, from the text they wrote, if any. A record that cannot be read does not
// keep them from being told.
func (b *Bot) language(ctx context.Context, t Thread, u User, text string) string {
	set, err := b.settings(ctx, t, u)
	if err != nil {
		set = b.cfg.Resolve(nil)
	}
	return languageOf(set.Language, text, u.Locale)
}
