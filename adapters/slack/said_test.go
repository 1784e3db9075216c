package slack_test

import (
	"errors"
	"strings"
	"testing"

	"maru/adapters/slack/slackfake"
	"maru/bot"
	"maru/bot/said"
)

// TestASearchShowsWhatTheReadersOfItsAnswerMaySee: results are limited by the author's rights and,
// in a channel, by those of all its readers. Each refusal of Slack has its own error.
func TestASearchShowsWhatTheReadersOfItsAnswerMaySee(t *testing.T) {
	t.Parallel()
	const all = "search:read.public,search:read.private,search:read.im"
	for name, c := range map[string]struct {
		options slackfake.Options
		user    string
		channel string
		prepare func(w *world)
		want    string // what is found, by its channel
		err     error
	}{
		"channel":              {options: slackfake.Options{Scopes: all}, user: "U1", channel: "C1", want: "C5 C8"},
		"private_channel":      {options: slackfake.Options{Scopes: all}, user: "U1", channel: "C6", want: "C5 C8"},
		"direct":               {options: slackfake.Options{Scopes: all}, user: "U1", channel: "D1", want: "C5 C6 C8"},
		"direct_public_scope":  {options: slackfake.Options{Scopes: "search:read.public"}, user: "U1", channel: "D1", want: "C5 C8"},
		"direct_unnamed":       {user: "U1", channel: "D1", want: "C5 C8"},
		"guest_in_direct":      {options: slackfake.Options{Scopes: all}, user: "U4", channel: "D4", want: "C8"},
		"guest_in_channel":     {options: slackfake.Options{Scopes: all}, user: "U4", channel: "C8", err: said.ErrAudience},
		"among_guests":         {options: slackfake.Options{Scopes: all}, user: "U1", channel: "C8", err: said.ErrAudience},
		"shared_channel":       {options: slackfake.Options{Scopes: all}, user: "U1", channel: "C9", err: said.ErrAudience},
		"no_scope":             {options: slackfake.Options{Scopes: "chat:write"}, user: "U1", channel: "C1", err: said.ErrScope},
		"no_plan":              {options: slackfake.Options{NoSearch: true}, user: "U1", channel: "C1", err: said.ErrPlan},
		"lapsed":               {user: "U1", channel: "C1", prepare: func(w *world) { w.EndGrants() }, err: said.ErrGrant},
		"rate_limit":           {user: "U1", channel: "C1", prepare: func(w *world) { w.Fail(slackfake.Fault{Method: "assistant.search.context", Status: 429, After: 30}) }, err: said.ErrBusy},
		"rate_limited":         {user: "U1", channel: "C1", prepare: func(w *world) { w.Fail(slackfake.Fault{Method: "assistant.search.context", Code: "rate_limited"}) }, err: said.ErrBusy},
		"guests_are_not_known": {user: "U1", channel: "C1", prepare: func(w *world) { w.Fail(slackfake.Fault{Method: "users.list", Code: "missing_scope"}) }, err: bot.ErrForbidden},
		"a_channel_turned_private": {user: "U1", channel: "C1", prepare: func(w *world) {
			w.Fail(slackfake.Fault{Method: "conversations.info", Channel: "C5", Code: "channel_not_found"})
		}, want: "C8"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := start(t, c.options)
			w.AddUser(slackfake.User{ID: "U4", Name: "guest", Guest: true})
			w.AddChannel(slackfake.Channel{ID: "C5", Name: "launch", Members: []string{"U2"}})
			w.AddChannel(slackfake.Channel{ID: "C6", Name: "board", Private: true, Members: []string{"UBOT", "U1", "U2"}})
			w.AddChannel(slackfake.Channel{ID: "C7", Name: "others", Private: true, Members: []string{"U2"}})
			w.AddChannel(slackfake.Channel{ID: "C8", Name: "partners", Members: []string{"UBOT", "U1", "U2", "U4"}})
			w.AddChannel(slackfake.Channel{ID: "C9", Name: "connect", Shared: true, Members: []string{"UBOT", "U1"}})
			w.AddChannel(slackfake.Channel{ID: "D4", Members: []string{"UBOT", "U4"}})
			for _, ch := range []string{"C5", "C6", "C7", "C8"} {
				w.Say("U2", ch, "the launch is <@U3>'s", "")
			}
			w.Say(c.user, c.channel, "<@UBOT> what about the launch?", "")
			var m bot.Message
			w.until("the question", func() bool {
				for _, got := range w.in.said() {
					if strings.HasSuffix(got.Text, "what about the launch?") {
						m = got
					}
				}
				return m.ID != ""
			})
			if c.prepare != nil {
				c.prepare(w)
			}
			found, err := w.adapter.Said(t.Context(), m, said.Query{Text: m.Text, Limit: 10})
			if !errors.Is(err, c.err) || c.err == nil && err != nil {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			var channels []string
			for _, one := range found.Messages {
				_, at, _ := strings.Cut(one.Link, "/archives/")
				channel, _, _ := strings.Cut(at, "/")
				channels = append(channels, channel)
				if one.Text != "the launch is @bob's" || one.Author != "alice" || one.Stranger || one.At.IsZero() {
					t.Errorf("found %+v", one)
				}
			}
			if c.err == nil && !sameSet(channels, strings.Fields(c.want)) {
				t.Errorf("found in %v, want %s", channels, c.want)
			}
		})
	}
}

// sameSet reports whether two lists have the same elements.
func sameSet(a, b []string) bool {
	x, y := map[string]bool{}, map[string]bool{}
	for _, s := range a {
		x[s] = true
	}
	for _, s := range b {
		y[s] = true
	}
	if len(x) != len(y) {
		return false
	}
	for s := range x {
		if !y[s] {
			return false
		}
	}
	return true
}

// TestWordsOfGuestsAreMarked: a guest's message and a stranger's are outsiders' words.
func TestWordsOfGuestsAreMarked(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{})
	w.AddUser(slackfake.User{ID: "U4", Name: "guest", Guest: true})
	w.AddUser(slackfake.User{ID: "U5", Name: "stranger", Team: "T9"})
	w.AddChannel(slackfake.Channel{ID: "C5", Name: "launch", Members: []string{"U2", "U4", "U5"}})
	w.Say("U4", "C5", "launch one", "")
	w.Say("U5", "C5", "launch two", "")
	w.Say("UGONE", "C5", "launch three", "")
	w.Say("U1", "C1", "<@UBOT> the launch", "")
	w.until("the question", func() bool { return len(w.in.said()) > 0 })
	found, err := w.adapter.Said(t.Context(), w.in.said()[0], said.Query{Text: "launch", Limit: 10})
	if err != nil || len(found.Messages) != 3 {
		t.Fatalf("%+v %v", found, err)
	}
	for _, m := range found.Messages {
		if !m.Stranger {
			t.Errorf("%s is no stranger", m.Author)
		}
	}
}
