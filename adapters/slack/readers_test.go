package slack_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

// TestReadersOfAChannel: only the members of a private channel are known to be its readers, without bots.
func TestReadersOfAChannel(t *testing.T) {
	t.Parallel()
	w := start(t, slackfake.Options{}, func(*slack.Config) {})
	w.until("connected", func() bool { n, _ := w.Connections(); return n == 1 })
	w.AddUser(slackfake.User{ID: "UAPP", Name: "other", Bot: true})
	crowd := []string{"UBOT"}
	for range 201 {
		crowd = append(crowd, "U2")
	}
	for _, c := range []slackfake.Channel{
		{ID: "C5", Private: true, Members: []string{"UBOT", "UAPP", "U1", "U2"}},
		{ID: "C6", Members: []string{"UBOT", "U1"}},
		{ID: "C7", Private: true, Shared: true, Members: []string{"UBOT", "U1"}},
		{ID: "C8", Private: true, Members: crowd},
	} {
		w.AddChannel(c)
	}
	for channel, want := range map[string][]string{"C5": {"U1", "U2"}, "C6": nil, "C7": nil, "C8": nil, "C9": nil} {
		got, err := w.adapter.Readers(t.Context(), thread(channel, "1.1"))
		if !slices.Equal(got, want) || (err != nil) != (want == nil) {
			t.Errorf("%s is read by %v, %v; want %v", channel, got, err, want)
		}
	}
}

// TestMailOfAPerson: the address is that of an open account of this workspace, at most a minute old.
func TestMailOfAPerson(t *testing.T) {
	t.Parallel()
	clk := &clock{now: time.Now()}
	w := start(t, slackfake.Options{Now: clk.Now}, func(c *slack.Config) { c.Now = clk.Now })
	w.until("connected", func() bool { n, _ := w.Connections(); return n == 1 })
	for _, u := range []slackfake.User{
		{ID: "U5", Name: "ann", Mail: "ann@example.com"}, {ID: "U6", Name: "left", Mail: "left@example.com", Deleted: true},
		{ID: "U7", Name: "other", Mail: "ann@example.com", Team: "T9"}, {ID: "U8", Name: "nobody"},
	} {
		w.AddUser(u)
	}
	mail := func(id string) string {
		t.Helper()
		for {
			got, err := w.adapter.Mail(t.Context(), thread("C1", "1.1"), id)
			if errors.Is(err, bot.ErrUnavailable) { // not signed in yet
				continue
			}
			if err != nil {
				t.Error(err)
			}
			return got
		}
	}
	for id, want := range map[string]string{"U5": "ann@example.com", "U6": "", "U7": "", "U8": "", "U99": ""} {
		if got := mail(id); got != want {
			t.Errorf("the address of %s is %q, want %q", id, got, want)
		}
	}
	w.AddUser(slackfake.User{ID: "U5", Name: "ann", Mail: "ann@example.com", Deleted: true})
	clk.pass(61 * time.Second)
	if got := mail("U5"); got != "" {
		t.Errorf("who left has the address %q", got)
	}
	w.Fail(slackfake.Fault{Method: "users.info", Status: 500})
	clk.pass(61 * time.Second)
	if got, err := w.adapter.Mail(t.Context(), thread("C1", "1.1"), "U8"); err == nil {
		t.Errorf("without Slack the address is %q", got)
	}
}
