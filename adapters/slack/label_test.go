package slack_test

import (
	"slices"
	"testing"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/bot/label"
)

// TestNamesOfIDs: the name of a private channel is for its own threads and, in direct messages, for its members.
func TestNamesOfIDs(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{}, func(*slack.Config) {})
	w.until("connected", func() bool { n, _ := w.Connections(); return n == 1 })
	w.AddUser(slackfake.User{ID: "U0AAAAAA1", Name: "김민지", RealName: "Kim Minji"})
	w.AddUser(slackfake.User{ID: "U0AAAAAA2", Name: "robot", Bot: true})
	w.AddUser(slackfake.User{ID: "U4", Name: "guest", Guest: true})
	for _, c := range []slackfake.Channel{
		{ID: "C0AAAAAA1", Name: "general", Members: []string{"UBOT", "U1"}}, {ID: "C0AAAAAA2", Name: "layoffs", Private: true, Members: []string{"UBOT", "U1"}},
		{ID: "C0AAAAAA3", Name: "closed", Private: true, Members: []string{"U1"}}, {ID: "D0AAAAAA1", Members: []string{"UBOT", "U0AAAAAA1"}},
		{ID: "C8", Name: "partners", Members: []string{"UBOT", "U1", "U4"}}, {ID: "C9", Name: "connect", Shared: true, Members: []string{"UBOT", "U1"}},
	} {
		w.AddChannel(c)
	}
	at := func(channel string, u bot.User) bot.Message {
		return bot.Message{Thread: thread(channel, "1.1"), User: u}
	}
	minji, with := bot.User{ID: "U0AAAAAA1"}, label.Label{Kind: label.Direct, Name: "김민지"}
	asker, private := bot.User{ID: "U1"}, label.Label{Kind: label.Private}
	general, layoffs := label.Label{Kind: label.Channel, Name: "#general"}, label.Label{Kind: label.Channel, Name: "#layoffs"}
	for name, c := range map[string]struct {
		m    bot.Message
		id   string
		want label.Label
	}{
		"a person":                 {at("C1", asker), "U0AAAAAA1", label.Label{Kind: label.Person, Name: "김민지"}},
		"a bot":                    {at("C1", asker), "U0AAAAAA2", label.Label{Kind: label.App, Name: "robot"}},
		"nobody":                   {at("C1", asker), "U0AAAAAA9", label.Label{}},
		"a public channel":         {at("C1", asker), "C0AAAAAA1", general},
		"for a guest":              {at("C1", bot.User{ID: "U1", Guest: true}), "C0AAAAAA1", private},
		"before outsiders":         {at("C1", bot.User{ID: "U1", Watched: true}), "C0AAAAAA1", private},
		"a private channel":        {at("C1", asker), "C0AAAAAA2", private},
		"in itself":                {at("C0AAAAAA2", asker), "C0AAAAAA2", layoffs},
		"for a member, in direct":  {at("D1", asker), "C0AAAAAA2", layoffs},
		"for others, in direct":    {at("D1", bot.User{ID: "U2"}), "C0AAAAAA2", private},
		"a channel the bot is not": {at("C1", asker), "C0AAAAAA3", label.Label{}},
		"among guests":             {at("C8", asker), "C0AAAAAA1", private},
		"that channel itself":      {at("C8", asker), "C8", label.Label{Kind: label.Channel, Name: "#partners"}},
		"in a shared channel":      {at("C9", asker), "C0AAAAAA1", private},
		"a direct conversation":    {at("C1", asker), "D0AAAAAA1", private},
		"for its person":           {at("C1", minji), "D0AAAAAA1", with},
		"direct, in itself":        {at("D0AAAAAA1", minji), "D0AAAAAA1", with},
		"direct, from the console": {bot.Message{Thread: bot.Thread{Platform: "web", Team: "local", Direct: true}}, "D0AAAAAA1", private},
		"the workspace":            {at("C1", asker), "T1", label.Label{Kind: label.Server, Name: "Fake"}},
		"another workspace":        {at("C1", asker), "T0AAAAAA9", label.Label{}},
		"from the console":         {bot.Message{Thread: bot.Thread{Platform: "web", Team: "local", Direct: true}}, "C0AAAAAA1", general},
		"for the whole workspace":  {bot.Message{Thread: bot.Thread{Platform: "slack", Team: "T1"}}, "C0AAAAAA1", general},
		"private, for the whole":   {bot.Message{Thread: bot.Thread{Platform: "slack", Team: "T1"}, User: asker}, "C0AAAAAA2", private},
		"for a member, anywhere":   {bot.Message{Thread: bot.Thread{Platform: "slack", Team: "T1", Direct: true}, User: asker}, "C0AAAAAA2", layoffs},
		"for others, anywhere":     {bot.Message{Thread: bot.Thread{Platform: "slack", Team: "T1", Direct: true}, User: bot.User{ID: "U2"}}, "C0AAAAAA2", private},
		"private, from there":      {bot.Message{Thread: bot.Thread{Platform: "web", Team: "local", Direct: true}}, "C0AAAAAA2", private},
	} {
		if got := w.adapter.LabelOf(t.Context(), c.m, c.id); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	unsure := bot.Thread{Platform: "slack", Team: "T1", Channel: "C2", ID: "1.1"}
	w.Fail(slackfake.Fault{Method: "conversations.members", Channel: "C2", Code: "missing_scope"})
	if got := w.adapter.LabelOf(t.Context(), bot.Message{Thread: unsure, User: asker}, "C0AAAAAA1"); got != private {
		t.Errorf("where the readers are not known: %+v", got)
	}
	text := `{"channel":"C0AAAAAA1","users":["U0AAAAAA1","U0AAAAAA1"],"text":"<@W0AAAAAA2> SUBSCRIBE TODAYONLY Cafe0000000 https://x.slack.com/archives/G0AAAAAA3/p1"}`
	if got := w.adapter.IDs(text); !slices.Equal(got, []string{"C0AAAAAA1", "U0AAAAAA1", "W0AAAAAA2", "G0AAAAAA3"}) {
		t.Errorf("found %q", got)
	}
}
