package bot_test

import (
	"context"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/bot"
	"maru/bot/service"
)

// TestPersonLimit has one person reach their limit for the day in each unit: they are told before, refused after, and
// others go on.
func TestPersonLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, value, low, gone string }{
		{"person_tokens", "1000", "80% of what you may use today (1000 tokens); left: 200 tokens", "used all that you may use today (1000 tokens)"},
		{"person_calls", "5", "80% of what you may use today (5 model calls); left: 1 model call", "used all that you may use today (5 model calls)"},
		{"person_cost", "0.5", "80% of what you may use today (cost 0.5); left: cost 0.1", "used all that you may use today (cost 0.5)"},
	} {
		t.Run(c.key, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				sink(agent.Event{Kind: agent.EventModelCall, Name: "answer", Usage: &agent.Usage{Calls: 1, Input: 150, Output: 50, Cost: 0.1}})
				return echo(ctx, req, sink)
			})
			in := w.platform.Thread("C1", "root")
			w.order(bot.Invocation{Name: "settings", Args: "set workspace " + c.key + " " + c.value, Thread: in, User: admin})
			for i := range 5 {
				w.say("hello", in)
				posts := w.replies(in, i+1)
				last := posts[len(posts)-1].Card
				if want := i == 3; strings.Contains(last.Footer, c.low) != want {
					t.Errorf("answer %d says %q", i+1, last.Footer)
				}
			}
			w.say("hello", in)
			posts := w.replies(in, 6)
			if got := posts[len(posts)-1].Card.Text; !strings.Contains(got, c.gone) || len(w.agent.asked()) != 5 {
				t.Errorf("over the limit: %q after %d runs", got, len(w.agent.asked()))
			}
			if _, err := w.platform.Say(w.ctx, "U9", "hello", in); err != nil {
				t.Fatal(err)
			}
			posts = w.replies(in, 7)
			if got := posts[len(posts)-1].Card.Text; !strings.Contains(got, "echo: hello") {
				t.Errorf("somebody else is told %q", got)
			}
			if got := w.order(bot.Invocation{Name: "status", Thread: in, User: member}); !strings.Contains(got, "of your limit") {
				t.Errorf("status: %q", got)
			}
		})
	}
}

// TestRunLimit has a run use most of what one may, and gives the agents what they may use.
func TestRunLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventModelCall, Name: "answer", Usage: &agent.Usage{Calls: 1, Input: 800, Output: 100}})
		return echo(ctx, req, sink)
	})
	in := w.platform.Thread("C1", "root")
	for _, args := range []string{"set workspace run_tokens 5000", "set channel run_tokens 1000", "set channel run_cost 0.25", "set channel run_calls 12"} {
		w.order(bot.Invocation{Name: "settings", Args: args, Thread: in, User: admin})
	}
	w.say("hello", in)
	posts := w.replies(in, 1)
	if got := posts[0].Card.Footer; !strings.Contains(got, "This question used 90% of what one may use here (1000 tokens); left: 100 tokens") {
		t.Errorf("footer %q", got)
	}
	if got := w.agent.asked()[0].Limits; got != (agent.Limits{Calls: 12, Tokens: 1000, Cost: 0.25}) {
		t.Errorf("the agent may use %+v", got)
	}
}

// TestRunLimitIsNamed ends runs by a limit of the place and by one of the agent's own: only the first is an admin's to raise.
func TestRunLimitIsNamed(t *testing.T) {
	t.Parallel()
	calls := 2
	w := newWorld(t, func(_ context.Context, _ agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventModelCall, Name: "answer", Usage: &agent.Usage{Calls: calls, Input: 10}})
		return agent.Result{}, workflow.Failure(&llm.Error{Class: llm.OverBudget})
	})
	in := w.platform.Thread("C1", "root")
	w.order(bot.Invocation{Name: "settings", Args: "set channel run_calls 2", Thread: in, User: admin})
	w.say("hello", in)
	if got := w.replies(in, 1)[0].Card.Text; !strings.Contains(got, "(2 model calls)") || !strings.Contains(got, "`run_calls`") || strings.Contains(got, "ref-") {
		t.Errorf("at the place's limit: %q", got)
	}
	calls = 1
	w.say("hello", in)
	if got := w.replies(in, 2)[1].Card.Text; !strings.Contains(got, "used up all that one question may use") || strings.Contains(got, "run_calls") {
		t.Errorf("at the agent's limit: %q", got)
	}
}

// TestLimitInMoneyNeedsPrices names, for each limit in money, the limit in tokens that bounds the same use.
func TestLimitInMoneyNeedsPrices(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, func(c *service.Config) { c.Counted, c.Priced = true, false })
	in := w.platform.Thread("C1", "root")
	for _, of := range []string{"daily", "person", "run"} {
		got := w.order(bot.Invocation{Name: "settings", Args: "set workspace " + of + "_cost 1", Thread: in, User: admin})
		if !strings.Contains(got, "MODEL_PRICES") || !strings.Contains(got, "`"+of+"_tokens`") {
			t.Errorf("%s: %q", of, got)
		}
	}
}

// TestUsageByPerson lists who used how much, for admins alone.
func TestUsageByPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, spending(300))
	in := w.platform.Thread("C1", "root")
	w.order(bot.Invocation{Name: "settings", Args: "set workspace person_tokens 1000", Thread: in, User: admin})
	for i, user := range []string{"U1", "U8", "U1"} {
		if _, err := w.platform.Say(w.ctx, user, "hello", in); err != nil {
			t.Fatal(err)
		}
		w.replies(in, i+1)
	}
	w.settled()
	got := w.order(bot.Invocation{Name: "usage", Args: "people 1", Thread: in, User: admin})
	first, second := strings.Index(got, "2 runs · 2 model calls · 600 tokens · 60% of the daily limit"), strings.Index(got, "1 run · 1 model call · 300 tokens · 30% of the daily limit")
	if first < 0 || second < first {
		t.Errorf("by person: %q", got)
	}
	if got := w.order(bot.Invocation{Name: "usage", Args: "사람별 7", Thread: in, User: admin}); !strings.Contains(got, "실행 2번 · 모델 호출 2번 · 토큰 600개") {
		t.Errorf("in Korean words: %q", got)
	}
	if got := w.order(bot.Invocation{Name: "usage", Args: "people", Thread: in, User: member}); strings.Contains(got, "tokens") || !strings.Contains(got, "admin") {
		t.Errorf("a member reads %q", got)
	}
}
