package bot

import (
	"context"
	"encoding/json"
	"fmt"
)

// placesOf lists where a setting can be set for a message, the widest first: a
// narrower place wins.
func placesOf(t Thread, u User) []string {
	team := esc(t.Platform) + "/" + esc(t.Team)
	return []string{"", team, team + "/" + esc(t.Channel), t.Key(), "user:" + userKey(t, u)}
}

// settings resolves what holds for a person in a thread: the program's defaults
// overridden by workspace, channel, thread and person, in this order.
func (b *Bot) settings(ctx context.Context, t Thread, u User) (Defaults, error) {
	set := b.cfg.Defaults
	places := placesOf(t, u)
	rows, err := b.cfg.Record.SettingsOf(ctx, places)
	if err != nil {
		return set, fmt.Errorf("read settings: %w", err)
	}
	for _, place := range places {
		for _, row := range rows {
			if row.Place == place {
				set.apply(row)
			}
		}
	}
	return set, nil
}

// apply takes over one value; one of the wrong type changes nothing.
func (d *Defaults) apply(s Setting) {
	into := map[string]any{
		"agent": &d.Agent, "language": &d.Language, "engage": &d.Engage,
		"react": &d.React, "persona": &d.Persona,
	}[s.Key]
	if into != nil {
		_ = json.Unmarshal(s.Value, into) // validated when it was set
	}
}
