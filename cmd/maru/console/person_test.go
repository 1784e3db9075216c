package console_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/adapters/web"
	"maru/agent"
	"maru/bot"
	"maru/bot/overview"
	"maru/bot/service"
	"maru/cmd/maru/console"
	"maru/config"
)

// errFollows ends a feed at its first state.
var errFollows = errors.New("follows")

// TestWhatAPersonSeesOfRuns: all of their own, of a channel that they read what it shows, of others nothing.
func TestWhatAPersonSeesOfRuns(t *testing.T) {
	t.Parallel()
	o := newOffice(t, func(c *console.Config) {
		c.Reads = func(_ context.Context, th bot.Thread, user string) (bool, error) {
			return th.Channel == "C1" && user != "U9", nil
		}
	})
	work := bot.Thread{Platform: "slack", Team: "T1"}
	threads := map[string]bot.Thread{
		"channel":   {Platform: "slack", Team: "T1", Channel: "C1", ID: "1"},
		"other":     {Platform: "slack", Team: "T1", Channel: "C2", ID: "1"},
		"direct":    {Platform: "slack", Team: "T1", Channel: "D1", ID: "1", Direct: true},
		"console":   {Platform: "web", Team: "slack-T1", Channel: "U1", ID: "t1", Direct: true},
		"owner's":   {Platform: "web", Team: "local", Channel: "home", ID: "t1", Direct: true},
		"elsewhere": {Platform: "slack", Team: "T2", Channel: "C1", ID: "1"},
	}
	for name, th := range threads {
		o.ran(t, "m-"+name, th) // all by U1 of the thread's workspace
	}
	const all, shown, bare, none = "all", "shown", "bare", "none"
	oidc := bot.Thread{Platform: "web", Team: "oidc"}
	for name, c := range map[string]struct {
		by   bot.User
		from bot.Thread
		want map[string]string
	}{
		"who asked":     {bot.User{ID: "U1"}, work, map[string]string{"channel": all, "other": all, "direct": all, "console": all, "owner's": none, "elsewhere": none}},
		"colleague":     {bot.User{ID: "U2"}, work, map[string]string{"channel": shown, "other": none, "direct": none, "console": none, "owner's": none, "elsewhere": none}},
		"their admin":   {bot.User{ID: "U3", Admin: true}, work, map[string]string{"channel": shown, "other": none, "direct": none, "console": none, "owner's": none, "elsewhere": none}},
		"not in it":     {bot.User{ID: "U9"}, work, map[string]string{"channel": none}},
		"account":       {bot.User{ID: "U1"}, oidc, map[string]string{"channel": none, "direct": none, "console": none, "owner's": none}},
		"admin account": {bot.User{ID: "oidc-1", Operator: true, Admin: true}, oidc, map[string]string{"channel": all, "other": all, "direct": bare, "console": bare, "owner's": bare, "elsewhere": all}},
		"token":         {bot.User{ID: "release"}, bot.Thread{Platform: "web", Team: "local"}, map[string]string{"channel": none, "direct": none, "console": none, "owner's": none}},
		"owner":         {operator, bot.Thread{Platform: "web", Team: "local", Channel: "home"}, map[string]string{"channel": all, "direct": bare, "console": bare, "owner's": all}},
	} {
		for run, want := range c.want {
			id := bot.Message{ID: "m-" + run, Thread: threads[run]}.Run()
			v, err := o.See(t.Context(), c.by, c.from, id)
			got := none
			if err == nil {
				got = said(t, v)
			} else if !errors.Is(err, bot.ErrNotFound) {
				t.Errorf("%s, %s: %v", name, run, err)
			}
			if got != want {
				t.Errorf("%s sees of %s: %s, want %s", name, run, got, want)
			}
			if name == "token" {
				if err := o.Follow(t.Context(), c.from, c.by, id, func(bot.Feed) error { return errFollows }); err == nil || errors.Is(err, errFollows) {
					t.Errorf("a token follows %s: %v", run, err)
				}
			}
			more, err := o.Explain(t.Context(), c.by, v)
			if want == bare && (err != nil || more.Answer != "" || len(more.Read) > 0) {
				t.Errorf("%s, %s: explained with %+v, %v", name, run, more, err)
			}
		}
	}
}

// said tells how much of a run is shown.
func said(t *testing.T, v bot.RunView) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	result, title, question := strings.Contains(string(raw), "secret result"), strings.Contains(string(raw), "secret title"), strings.Contains(string(raw), "secret question")
	switch {
	case result && title && question:
		return "all"
	case !result && title && question:
		return "shown"
	case !result && !title && !question:
		return "bare"
	}
	return "odd: " + string(raw)
}

func TestWhichRunsAPersonIsListed(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for i, th := range []bot.Thread{
		{Platform: "slack", Team: "T1", Channel: "C1", ID: "1"}, {Platform: "slack", Team: "T1", Channel: "D1", ID: "1", Direct: true},
		{Platform: "web", Team: "slack-T1", Channel: "U1", ID: "t1", Direct: true}, {Platform: "web", Team: "oidc", Channel: "oidc-2", ID: "t1", Direct: true},
		{Platform: "web", Team: "local", Channel: "home", ID: "t1", Direct: true}, {Platform: "slack", Team: "T2", Channel: "C3", ID: "1"},
	} {
		o.ran(t, "m"+string(rune('0'+i)), th)
	}
	for name, c := range map[string]struct {
		by   bot.User
		from bot.Thread
		want []string // channels
	}{
		"who asked":     {bot.User{ID: "U1"}, bot.Thread{Platform: "slack", Team: "T1"}, []string{"C1", "D1", "U1"}},
		"colleague":     {bot.User{ID: "U2", Admin: true}, bot.Thread{Platform: "slack", Team: "T1"}, nil},
		"admin account": {bot.User{ID: "oidc-1", Operator: true}, bot.Thread{Platform: "web", Team: "oidc"}, []string{"C1", "C3"}},
		"owner":         {operator, bot.Thread{Platform: "web", Team: "local", Channel: "home"}, []string{"C1", "C3", "home"}},
	} {
		list, err := o.ListRuns(t.Context(), c.by, c.from, overview.RunQuery{Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range list {
			got = append(got, r.Thread.Channel)
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s is listed %v, want %v", name, got, c.want)
		}
	}
	if list, err := o.ListRuns(t.Context(), bot.User{ID: "U1"}, bot.Thread{Platform: "slack", Team: "T1"}, overview.RunQuery{Limit: 2}); err != nil || len(list) != 2 {
		t.Errorf("a page of two has %d, %v", len(list), err)
	}
	var _ web.Seer = o
}

// TestApproversStayOutOfConsoleConversations: the people of a workspace share a team on the console; its approvers decide nothing of
// what a colleague's own conversation asks there.
func TestApproversStayOutOfConsoleConversations(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	own := web.HomeOf(bot.Thread{Platform: "slack", Team: "T1"}, "U1")
	own.ID, own.Direct = "t1", true
	o.ran(t, "m1", own)
	run := bot.Message{ID: "m1", Thread: own}.Run()
	lease, ok, err := o.record.Claim(t.Context(), own.Key(), "me", time.Minute)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := o.record.CreateApproval(t.Context(), lease, bot.Approval{ID: "a1", Kind: "plan", Thread: own.Key(), Run: run, State: bot.ApprovalPending, Payload: []byte(`{}`), Allowed: []string{"U1"}, Created: time.Now(), Expires: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	a, err := web.New(web.Config{Addr: "127.0.0.1:8080"})
	if err != nil {
		t.Fatal(err)
	}
	b := service.New(service.Config{
		Record: o.record, Library: o.docs, Runner: agent.NewRunner(slog.New(slog.DiscardHandler), time.Minute, time.Now), Log: slog.New(slog.DiscardHandler), Adapters: []bot.Adapter{a},
		Resolve: func(set []config.Entry) config.Resolved {
			return config.Resolve(config.Config{Place: config.PlaceDefaults(), Decisions: config.Decisions{Approvers: []string{"U1", "U2"}}}, set)
		},
	})
	for user, want := range map[string]int{"U1": 1, "U2": 0} {
		list, err := b.WaitingFrom(t.Context(), web.HomeOf(own, user), bot.User{ID: user})
		if err != nil || len(list) != want {
			t.Errorf("%s may decide %d questions, %v; want %d", user, len(list), err, want)
		}
	}
}
