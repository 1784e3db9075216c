package bot_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
)

// TestBudget checks the warning before and the polite stop at the end of a
// daily budget, for the place that has it.
func TestBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, spending(300))
	thread := w.platform.Thread("C1", "root")
	if _, err := w.bot.Command(w.ctx, bot.Invocation{Name: "settings", Args: "set channel daily_tokens 1000", Thread: thread, User: admin, ID: "i"}); err != nil {
		t.Fatal(err)
	}
	notes := []string{"", "", "90%", "100%"} // each counts what its own run used
	for i, note := range notes {
		w.say("hello", thread)
		posts := w.replies(thread, i+1)
		last := posts[len(posts)-1].Card
		if note == "" && last.Footer != "" || !strings.Contains(last.Footer, note) {
			t.Errorf("answer %d says %q, want %q", i, last.Footer, note)
		}
	}
	w.say("hello", thread)
	posts := w.replies(thread, len(notes)+1)
	if last := posts[len(posts)-1].Card; !strings.Contains(last.Text, "used up") || !strings.Contains(last.Text, "12:00 am UTC") {
		t.Errorf("over the budget: %q", last.Text)
	}
	if n := len(w.agent.asked()); n != len(notes) {
		t.Errorf("%d runs, want %d", n, len(notes))
	}
	elsewhere := w.platform.Thread("C2", "root")
	w.say("hello", elsewhere)
	w.replies(elsewhere, 1)
	w.settled()
	card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "usage", Thread: thread, User: admin, ID: "u"})
	if err != nil || !strings.Contains(card.Text, "1,500") || !strings.Contains(card.Text, "█") {
		t.Errorf("%v: usage %+v", err, card)
	}
	card, err = w.bot.Command(w.ctx, bot.Invocation{Name: "audit", Args: "daily_tokens", Thread: thread, User: admin, ID: "a"})
	if err != nil || !strings.Contains(card.Text, "setting.set") {
		t.Errorf("%v: audit %+v", err, card)
	}
	for _, value := range []string{"retention 30d", "daily_tokens 2000000"} {
		w.order(bot.Invocation{Name: "settings", Args: "set " + value, Thread: thread, User: admin})
	}
	for _, c := range []struct{ args, want string }{
		{"retention", "to 30 days"},
		{"daily_tokens", "to “2000000”"},
		{"who:" + admin.ID + " what:setting since:1h DAILY", "setting.set"},
		{"since:2026-01-01 who:<@" + admin.ID + ">", "setting.set"},
		{"who:U404", "No entries match"},
		{"what:document", "No entries match"},
		{"since:soon", "since:7d"},
	} {
		if got := w.order(bot.Invocation{Name: "audit", Args: c.args, Thread: thread, User: admin}); !strings.Contains(got, c.want) {
			t.Errorf("audit %s: %q, want %q", c.args, got, c.want)
		}
	}
	card, err = w.bot.Command(w.ctx, bot.Invocation{Name: "audit", Thread: thread, User: member, ID: "m"})
	if err != nil || !strings.Contains(card.Text, "Ask an admin") {
		t.Errorf("%v: a member's audit %+v", err, card)
	}
	card, err = w.bot.Command(w.ctx, bot.Invocation{Name: "status", Thread: thread, User: member, ID: "s"})
	if err != nil || len(card.Fields) < 4 {
		t.Errorf("%v: status %+v", err, card)
	}
}

// TestMoneyBudget is TestBudget in money, the nearer of two bounds.
func TestMoneyBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventModelCall, Name: "answer", Usage: &agent.Usage{Calls: 1, Input: 100, Cost: 0.45}})
		return echo(ctx, req, sink)
	})
	thread := w.platform.Thread("C1", "root")
	for _, args := range []string{"set workspace daily_tokens 100000", "set channel daily_cost 1"} {
		w.order(bot.Invocation{Name: "settings", Args: args, Thread: thread, User: admin})
	}
	for i, note := range []string{"", "90% of today's budget here (cost 1)", "100% of today's budget here (cost 1)"} {
		w.say("hello", thread)
		posts := w.replies(thread, i+1)
		if last := posts[len(posts)-1].Card; note == "" && last.Footer != "" || !strings.Contains(last.Footer, note) {
			t.Errorf("answer %d says %q, want %q", i, last.Footer, note)
		}
	}
	w.settled() // what the last answer cost is committed after people see it
	if status := w.order(bot.Invocation{Name: "status", Thread: thread, User: member}); !strings.Contains(status, "of the limit here: 1.35 / 1") {
		t.Errorf("status says %s", status)
	}
	w.order(bot.Invocation{Name: "settings", Args: "set channel daily_cost 0.005", Thread: thread, User: admin})
	if status := w.order(bot.Invocation{Name: "status", Thread: thread, User: member}); !strings.Contains(status, "of the limit here: 1.35 / 0.005") {
		t.Errorf("status of a small budget says %s", status)
	}
	w.say("hello", thread)
	posts := w.replies(thread, 4)
	if last := posts[len(posts)-1].Card; !strings.Contains(last.Text, "used up") || len(w.agent.asked()) != 3 {
		t.Errorf("over the budget: %q after %d runs", last.Text, len(w.agent.asked()))
	}
}

// TestABudgetThatBoundsNothingSaysSo: with the built-in model no tokens are counted,
// without prices no money, and whoever sets a budget, by command or form, looks at it
// or asks where it stands is told.
func TestABudgetThatBoundsNothingSaysSo(t *testing.T) {
	t.Parallel()
	const noModel, noPrices = "No language model is set up", "No model prices are set"
	for name, c := range map[string]struct {
		counted, priced bool
		tokens, cost    string // what is said of each
	}{
		"built_in":  {tokens: noModel, cost: noModel},
		"no_prices": {counted: true, cost: noPrices},
		"all":       {counted: true, priced: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil)
			w.stop()
			w.change = func(b *service.Config) { b.Counted, b.Priced = c.counted, c.priced }
			w.start()
			for key, note := range map[string]string{"daily_tokens": c.tokens, "daily_cost": c.cost, "run_calls": ""} { // the built-in model's calls are counted
				in := w.platform.Thread("C"+key, "")
				told := func(what, got, note string) {
					t.Helper()
					if said := strings.Contains(got, noModel) || strings.Contains(got, noPrices); said != (note != "") || !strings.Contains(got, note) {
						t.Errorf("%s of %s says %q, want %q", what, key, got, note)
					}
				}
				given := func(name, args string) string {
					return w.order(bot.Invocation{Name: name, Args: args, Thread: in, User: admin})
				}
				told("the default", given("settings", key), "")
				ans, err := w.bot.Action(w.ctx, bot.Action{ID: "settings", Verb: "save.channel", Thread: in, User: admin, Values: map[string]string{key: "7", "react": "on"}})
				if err != nil || ans.Card == nil {
					t.Fatalf("%v: %+v", err, ans)
				}
				told("the form", ans.Card.Text, note)
				told("showing it", given("settings", key), note)
				told("the status", given("status", ""), note)
				told("the command", given("settings", key+" 10"), note)
				told("no budget", given("settings", key+" 0"), "")
			}
		})
	}
}

// spending answers at a price.
func spending(tokens int) func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
	return func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventModelCall, Name: "answer", Usage: &agent.Usage{Calls: 1, Input: tokens - 10, Output: 10}})
		return echo(ctx, req, sink)
	}
}
