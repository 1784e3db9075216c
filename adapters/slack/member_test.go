package slack_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/slack"
	"maru/adapters/slack/slackfake"
	"maru/bot"
)

func TestMemberOfAGroup(t *testing.T) {
	t.Parallel()
	clk := &clock{now: time.Now()}
	w := start(t, slackfake.Options{}, func(c *slack.Config) { c.Now = clk.Now })
	w.AddGroup("S1", "U2", "U3")
	asked := func() int { return len(w.Calls("usergroups.users.list")) }
	for _, c := range []struct {
		user, group string
		want        bool
	}{
		{"U2", "S1", true}, {"U1", "S1", false}, {"U2", "S9", false}, {"U2", "U2", false}, {"U2", "@admins", false}, {"", "S1", false},
	} {
		if got, err := w.adapter.Member(t.Context(), thread("C1", "1.1"), c.user, c.group); err != nil || got != c.want {
			t.Errorf("%s in %s: %v, %v", c.user, c.group, got, err)
		}
	}
	if n := asked(); n != 2 { // S1 and S9
		t.Errorf("asked %d times", n)
	}
	w.Fail(slackfake.Fault{Method: "usergroups.users.list", Code: "plan_upgrade_required", Times: 1})
	if got, err := w.adapter.Member(t.Context(), thread("C1", "1.1"), "U2", "S3"); err != nil || got {
		t.Errorf("in a workspace without user groups: %v, %v", got, err)
	}
	w.AddGroup("S1", "U3")
	clk.pass(16 * time.Second)
	if got, err := w.adapter.Member(t.Context(), thread("C1", "1.1"), "U2", "S1"); err != nil || got {
		t.Errorf("who left the group is still in it: %v, %v", got, err)
	}
	w.Fail(slackfake.Fault{Method: "usergroups.users.list", Code: "missing_scope"})
	clk.pass(16 * time.Second)
	if got, err := w.adapter.Member(t.Context(), thread("C1", "1.1"), "U3", "S1"); got || !errors.Is(err, bot.ErrForbidden) || !strings.Contains(err.Error(), "usergroups:read") {
		t.Errorf("what cannot be asked must not count: %v, %v", got, err)
	}
}

func TestWhoReadsAChannel(t *testing.T) {
	t.Parallel()
	clk := &clock{now: time.Now()}
	w := start(t, slackfake.Options{Now: clk.Now}, func(c *slack.Config) { c.Now = clk.Now })
	reads := func(channel, user string) (bool, error) {
		for { // who somebody is is asked for again while Slack is slow to say, or the bot not yet signed in
			got, err := w.adapter.Member(t.Context(), thread(channel, "1.1"), user, "")
			if !errors.Is(err, bot.ErrUnavailable) {
				return got, err
			}
		}
	}
	many := []string{"UBOT"}
	for i := range 250 {
		many = append(many, fmt.Sprintf("U9%03d", i))
	}
	w.AddUser(slackfake.User{ID: "U4", Name: "guest", Guest: true})
	w.AddUser(slackfake.User{ID: "U5", Name: "stranger", Team: "T9"})
	w.AddChannel(slackfake.Channel{ID: "C7", Private: true, Members: append(many, "U2")})
	w.AddChannel(slackfake.Channel{ID: "C8", Members: []string{"UBOT", "U4"}})
	for _, c := range []struct {
		channel, user string
		want          bool
	}{
		{"C7", "U2", true}, {"C7", "U1", false}, // on the third page, and an admin who is not in it
		{"C8", "U3", true}, {"C8", "U4", true}, {"C8", "U5", false}, {"C8", "U404", false},
		{"C404", "U2", false}, {"D1", "U1", true},
	} {
		got, err := reads(c.channel, c.user)
		if err != nil || got != c.want {
			t.Errorf("%s reads %s: %v, %v", c.user, c.channel, got, err)
		}
	}
	before := len(w.Calls("conversations.members"))
	w.Say("U1", "C1", "<@UBOT> hello", "")
	w.until("the message", func() bool { return len(w.in.said()) > 0 })
	if got, err := w.adapter.Member(t.Context(), thread("C1", "1.1"), "U1", ""); err != nil || !got || len(w.Calls("conversations.members")) != before {
		t.Errorf("who has just written there was asked for: %v, %v", got, err)
	}
	w.Fail(slackfake.Fault{Method: "conversations.members", Status: 500})
	if got, err := w.adapter.Member(t.Context(), thread("C7", "1.1"), "U2", ""); got || !errors.Is(err, bot.ErrUnavailable) {
		t.Errorf("what cannot be asked must not count: %v, %v", got, err)
	}
}

// Before the bot has signed in it does not know who belongs to its workspace: that
// somebody does not read a public channel is not said then.
func TestNobodyLosesARightBySilence(t *testing.T) {
	t.Parallel()
	f := slackfake.Start(t, slackfake.Options{})
	f.AddChannel(slackfake.Channel{ID: "C8", Members: []string{"UBOT"}})
	a, err := slack.New(config(f))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := a.Member(t.Context(), thread("C8", "1.1"), "U3", ""); got || !errors.Is(err, bot.ErrUnavailable) {
		t.Errorf("a public channel is read by who is not known yet: %v, %v", got, err)
	}
}

// A person of a user group that an admin named may decide, and may not from the
// moment they have left it.
func TestUserGroupDecides(t *testing.T) {
	t.Parallel()
	clk := &clock{now: time.Now()}
	w := hire(t, slackfake.Options{Now: clk.Now}, plans, func(c *slack.Config) { c.Now = clk.Now })
	w.AddGroup("S1", "U3")
	w.Slash("U1", "C1", "/maru", "approvers set <!subteam^S1|@legal>")
	w.until("the setting", func() bool {
		d := w.Deliveries()
		return len(d) == 1 && strings.Contains(string(d[0].Reply), "S1")
	})
	ask := func(n int) (thread, card string) {
		thread = w.Say("U2", "C1", fmt.Sprintf("<@UBOT> do %d", n), "")
		w.until("the plan", func() bool { r := w.Replies("C1", thread); return len(r) == 1 && len(r[0].Buttons()) == 3 })
		return thread, w.Replies("C1", thread)[0].TS
	}
	th, card := ask(1)
	if _, err := w.Click("U3", "C1", card, "Approve"); err != nil {
		t.Fatal(err)
	}
	w.until("the answer", func() bool {
		return slices.ContainsFunc(w.answers("C1", th), func(s string) bool { return strings.Contains(s, "decided: accept") })
	})
	th, card = ask(2)
	w.AddGroup("S1", "U1")
	clk.pass(16 * time.Second)
	if _, err := w.Click("U3", "C1", card, "Approve"); err != nil {
		t.Fatal(err)
	}
	w.until("the refusal", func() bool { return len(w.Whispers("U3")) == 1 })
	if got := w.answers("C1", th); slices.ContainsFunc(got, func(s string) bool { return strings.Contains(s, "decided") }) {
		t.Errorf("decided by who left the group: %q", got)
	}
}

// A right that was taken away is used no more: an admin is asked about again at the
// next click or command, and soon when they write. While Slack does not answer, what
// it said counts for a minute.
func TestARightThatWasTakenAway(t *testing.T) {
	t.Parallel()
	clk := &clock{now: time.Now()}
	w := start(t, slackfake.Options{Now: clk.Now}, func(c *slack.Config) { c.Now = clk.Now })
	admin := func(is bool) {
		w.AddUser(slackfake.User{ID: "U1", Name: "chulsoo", Locale: "ko-KR", Admin: is})
	}
	commands := func() bool {
		n := len(w.in.commands())
		w.Slash("U1", "C1", "/maru", "audit")
		w.until("the command", func() bool { return len(w.in.commands()) > n })
		return w.in.commands()[n].User.Admin
	}
	writes := func() bool {
		n := len(w.in.said())
		w.Say("U1", "D1", "approve", "")
		w.until("the message", func() bool { return len(w.in.said()) > n })
		return w.in.said()[n].User.Admin
	}
	if !commands() || !writes() {
		t.Error("an admin is none")
	}
	admin(false)
	clk.pass(3 * time.Second)
	if commands() {
		t.Error("who was an admin gives a command as one")
	}
	admin(true)
	clk.pass(2 * time.Minute)
	if !commands() {
		t.Error("who became an admin is none")
	}
	admin(false)
	clk.pass(2 * time.Minute)
	if writes() {
		t.Error("who was an admin writes as one")
	}
	admin(true)
	clk.pass(2 * time.Minute)
	if !commands() {
		t.Error("who became an admin again is none")
	}
	w.Fail(slackfake.Fault{Method: "users.info", Code: "internal_error"})
	clk.pass(30 * time.Second)
	if !commands() || !writes() {
		t.Error("Slack does not answer, and an admin of a moment ago is none")
	}
	clk.pass(time.Minute)
	if commands() || writes() {
		t.Error("a right is used that nobody has confirmed for long")
	}
}

// TestIDsOfPeople: what can be an approver here, and what is a name.
func TestIDsOfPeople(t *testing.T) {
	t.Parallel()
	a := offline(t)
	for id, want := range map[string]bool{"U012ABC": true, "W1": true, "S7": true, "bob": false, "u1": false, "C1": false, "123456789": false, "": false} {
		if got := a.IsID(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}
