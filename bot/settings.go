package bot

import (
	"context"
	"fmt"

	"maru/config"
)

// placesOf lists where a setting can be set for a message, in the order of
// their levels from config.Workspace on.
func placesOf(t Thread, u User) []string {
	team := esc(t.Platform) + "/" + esc(t.Team)
	return []string{team, team + "/" + esc(t.Channel), t.Key(), "user:" + userKey(t, u)}
}

// settings resolves what holds for a person in a thread.
func (b *Bot) settings(ctx context.Context, t Thread, u User) (config.Resolved, error) {
	places := placesOf(t, u)
	rows, err := b.cfg.Record.SettingsOf(ctx, places)
	if err != nil {
		return config.Resolved{}, fmt.Errorf("read settings: %w", err)
	}
	var set []config.Entry
	for _, row := range rows {
		for i, place := range places {
			if row.Place == place {
				set = append(set, config.Entry{Level: config.Workspace + config.Level(i), Key: row.Key, Value: row.Value})
			}
		}
	}
	return b.cfg.Resolve(set), nil
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
