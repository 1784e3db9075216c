package discord_test

import (
	"slices"
	"testing"

	"maru/adapters/discord"
	"maru/adapters/discord/discordfake"
)

// TestMentionsByApps: an app or webhook that the operator named is heard where it mentions the bot, as an app; by default
// none is.
func TestMentionsByApps(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		beside  string
		mention bool
		named   bool // the app itself
		also    []string
		heard   bool
	}{
		"by default":          {`{}`, true, false, nil, false},
		"of an app":           {`{}`, true, true, nil, true},
		"without a mention":   {`{}`, false, true, nil, false},
		"of a webhook":        {`{"webhook_id":"77"}`, true, false, []string{"77"}, true},
		"of an app by its id": {`{"application_id":"88"}`, true, false, []string{"88"}, true},
		"of another":          {`{"webhook_id":"77"}`, true, false, []string{"78"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var allowed []string
			w := newWorld(t, discordfake.Config{}, discord.Config{Apps: func(id string) bool { return slices.Contains(allowed, id) }})
			app := w.fake.AddBot("Monitor")
			allowed = append(allowed, c.also...)
			if c.named {
				allowed = append(allowed, app)
			}
			text := "who owns n-31?"
			if c.mention {
				text = w.fake.Mention() + " " + text
			}
			said := w.fake.SayBeside(app, w.fake.General, text, members(t, c.beside))
			person := w.fake.Say(w.fake.Alice, w.fake.General, w.fake.Mention()+" hello")
			m := w.in.message(w.ctx, t, 0)
			if heard := m.ID == said.ID; heard != c.heard || !heard && m.ID != person.ID {
				t.Fatalf("%+v", m)
			}
			if c.heard && (m.Text != "who owns n-31?" || !m.User.Bot || m.User.Name != "Monitor (app)" || m.Reach != "mention") {
				t.Errorf("%+v", m)
			}
		})
	}
}
