package bot_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
	"maru/memory/longterm"
)

type listener struct{}

// called makes a model call that costs a euro, to be heard by who listens.
func called(ctx context.Context) {
	if heard, ok := ctx.Value(listener{}).(func(agent.Usage)); ok {
		heard(agent.Usage{Calls: 1, Input: 40, Output: 10, Cost: 1})
	}
}

// TestCallsOutsideOfRunsCount: in the place and for the person they are made for,
// under their kind, in the budget and beside what answers cost.
func TestCallsOutsideOfRunsCount(t *testing.T) {
	t.Parallel()
	w, _ := mindful(t, func(ctx context.Context, _, _ string) ([]longterm.PreferenceLesson, error) {
		called(ctx)
		return nil, nil
	})
	w.stop()
	withMemory := w.change
	w.change = func(cfg *service.Config) {
		withMemory(cfg)
		cfg.Listen = func(ctx context.Context, heard func(agent.Usage)) context.Context {
			return context.WithValue(ctx, listener{}, heard)
		}
		cfg.Addressed = func(ctx context.Context, _ string, _ []agent.Turn, _ agent.Turn) (bool, error) {
			called(ctx)
			return false, nil
		}
	}
	w.start()
	thread := w.platform.Thread("C1", "root")
	for _, who := range []string{"U1", "U2"} { // several people
		m := w.platform.Message(who, "I am in charge of the budget", thread)
		m.Thread, m.Top = thread, false
		w.deliver(m)
		w.settled()
	}
	m := w.platform.Message("U1", "shall we have lunch?", thread)
	m.Thread, m.Top, m.Reach, m.At = thread, false, bot.ReachFollow, time.Now()
	w.deliver(m)
	w.learned()
	rows, err := w.store.Usage(w.ctx, bot.UsageQuery{Team: thread.TeamKey(), Channel: "C1"})
	if err != nil {
		t.Fatal(err)
	}
	calls := map[bot.SpentOn]map[string]int{bot.SpentMemory: {}, bot.SpentAddressing: {}}
	for _, r := range rows {
		if r.Kind == "" {
			continue
		}
		if r.Agent != "" || r.Runs != 0 || r.Cost != float64(r.Calls) {
			t.Errorf("row %+v", r)
		}
		calls[r.Kind][r.User] += r.Calls
	}
	if calls[bot.SpentMemory]["U1"] != 1 || calls[bot.SpentMemory]["U2"] != 1 || calls[bot.SpentAddressing]["U1"] != 1 || len(calls) != 2 {
		t.Errorf("counted %v of %+v", calls, rows)
	}
	admin := bot.User{ID: "U9", Admin: true}
	got := w.order(bot.Invocation{Name: "usage", Thread: w.platform.Thread("C1", ""), User: admin})
	for _, want := range []string{"Other usage", "learning from conversations 100 tokens (cost 2.0000)", "working out who a message is for 50 tokens (cost 1.0000)"} {
		if !strings.Contains(got, want) {
			t.Errorf("usage lacks %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "/memory") {
		t.Errorf("a kind is shown as an agent:\n%s", got)
	}
	got = w.order(bot.Invocation{Name: "settings", Args: "set workspace daily_cost 3", Thread: w.platform.Thread("C1", ""), User: admin})
	if !strings.Contains(got, "daily_cost") {
		t.Fatal(got)
	}
	late := w.platform.Message("U3", "hello", w.platform.Thread("C2", ""))
	w.deliver(late)
	if post := w.replies(late.Thread, 1)[0]; !strings.Contains(post.Card.Text, "daily budget is used up") {
		t.Errorf("what was used outside of runs is in no budget: %+v", post.Card)
	}
}

// TestScopePlace reads the places of scopes that the bot itself makes.
func TestScopePlace(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string][2]string{
		"public": {"", ""}, "team:slack/T1": {"slack/T1", ""}, "channel:slack/T1/C1": {"slack/T1", "C1"}, "channel:web/local/a%2Fb": {"web/local", "a/b"},
	} {
		team, channel, err := bot.ScopePlace(scope)
		if err != nil || team != want[0] || channel != want[1] {
			t.Errorf("%s: %q, %q, %v", scope, team, channel, err)
		}
	}
	for _, scope := range []string{"", "team:", "team:slack", "channel:slack/T1", "person:slack/T1/U1"} {
		if _, _, err := bot.ScopePlace(scope); err == nil {
			t.Errorf("%q is the scope of a place", scope)
		}
	}
}
