package bot_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"maru/agent"
	"maru/bot"
)

// planning asks for a plan of two steps and, once it may, spends three calls on them; n scales what they use.
func planning(n *int) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	return func(_ context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(req.Decisions) > 0 {
			for range 3 {
				sink(agent.Event{Kind: agent.EventModelCall, Name: "answer", Usage: &agent.Usage{Model: "m", Calls: 1, Input: 100 * *n, Output: 20, Cost: 0.01}})
			}
			return agent.Result{Text: "done"}, nil
		}
		steps := []agent.PlanStep{{Text: "look"}, {Text: "write"}}
		sink(agent.Event{Kind: agent.EventModelCall, Name: "plan", Usage: &agent.Usage{Model: "m", Calls: 1, Input: 5000}}) // before the plan: of no step
		plan, err := json.Marshal(agent.Plan{Steps: steps})
		if err != nil {
			return agent.Result{}, err
		}
		sink(agent.Event{Kind: agent.EventPlan, Name: "plan", Data: plan})
		ask, err := json.Marshal(agent.Ask{Question: "Run it?", Steps: steps, Actions: []agent.Action{{Verb: agent.VerbAccept}, {Verb: agent.VerbReject}}})
		return agent.Result{Interrupts: []agent.Interrupt{{ID: "i1", Kind: "plan", Payload: ask}}}, err
	}
}

// planCard returns the card on which a plan waits.
func planCard(w *world, m bot.Message) (card bot.Card) {
	w.t.Helper()
	w.until("a plan is shown", func() bool {
		for _, p := range w.platform.Posts(m.Thread) {
			if len(p.Card.Buttons) > 1 && len(p.Card.Steps) > 0 {
				card = p.Card
			}
		}
		return len(card.Buttons) > 0
	})
	return card
}

// TestPlanIsEstimated: the card of a plan says what it will use, from three earlier plans on, and names a limit that it
// would or may pass; in both languages.
func TestPlanIsEstimated(t *testing.T) {
	t.Parallel()
	n := 0
	w := newWorld(t, planning(&n))
	asked := func(thread, text string) string {
		t.Helper()
		m := w.say(text, w.platform.Thread("C1", thread))
		card := planCard(w, m)
		w.act(bot.Action{ID: card.Buttons[0].ID, Verb: agent.VerbAccept, Thread: m.Thread, User: bot.User{ID: m.User.ID}})
		w.settled()
		return card.Footer
	}
	for i, thread := range []string{"a", "b", "c"} {
		n = i + 1
		if got := asked(thread, "plan it"); strings.Contains(got, "Estimate") {
			t.Errorf("plan %d says %q", i+1, got)
		}
	}
	const want = "Estimate: 3 model calls, 360–960 tokens, cost 0.0300 (from 3 earlier plans)"
	if got := asked("d", "plan it"); !strings.Contains(got, want) || strings.Contains(got, "limit") {
		t.Errorf("the fourth plan says %q, want %q", got, want)
	}
	for i, c := range []struct{ setting, want string }{
		{"run_calls 3", "This would pass the limit for one question (4 model calls / 3 model calls)."},
		{"run_tokens 5700", "This may pass the limit for one question (5960 tokens / 5700 tokens)."},
		{"person_cost 0.14", "This would pass today's limit (0.15 / 0.14)."},
	} {
		in := w.platform.Thread("C1", c.setting)
		key, _, _ := strings.Cut(c.setting, " ")
		w.order(bot.Invocation{Name: "settings", Args: "set workspace " + c.setting, Thread: in, User: admin})
		card := planCard(w, w.say("plan it", in))
		if !strings.Contains(card.Footer, c.want) {
			t.Errorf("%d: with %s it says %q, want %q", i, c.setting, card.Footer, c.want)
		}
		w.order(bot.Invocation{Name: "settings", Args: "unset workspace " + key, Thread: in, User: admin})
	}
	if got := planCard(w, w.say("계획을 세워 주세요", w.platform.Thread("C1", "ko"))).Footer; !strings.Contains(got, "예상: 모델 호출 3번") {
		t.Errorf("in Korean: %q", got)
	}
}
