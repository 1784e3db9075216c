package bot_test

import (
	"context"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/exchange"
	"maru/bot/service"
)

// modelled answers with one model call, which quotes the question.
func modelled(_ context.Context, r agent.Request, sink agent.Sink) (agent.Result, error) {
	sink(agent.Event{Kind: agent.EventModelCall, Name: "answer", Usage: &agent.Usage{Calls: 1}, Exchange: &agent.Exchange{
		Prompt: []agent.Spoken{{Role: "user", Text: r.Text}}, Reply: agent.Spoken{Role: "assistant", Text: "I see."},
	}})
	return agent.Result{Text: "I see."}, nil
}

// keeping returns a world that keeps prompts and replies for a time.
func keeping(t *testing.T, age time.Duration) *world {
	t.Helper()
	w := newWorld(t, modelled)
	w.stop()
	w.change = func(c *service.Config) { c.PromptAge = age }
	w.start()
	return w
}

// keptOf returns the prompts that are kept of the run that answered a message.
func (w *world) keptOf(m bot.Message) (prompts []string) {
	w.t.Helper()
	rows, err := w.store.Exchanges(w.ctx, m.Run())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, r := range rows {
		said, err := exchange.Unpack(r)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, e := range said {
			prompts = append(prompts, e.Prompt[0].Text)
		}
	}
	return prompts
}

// TestPromptsAreKeptWithTheirRun, named by its trace, and go with what they quote.
func TestPromptsAreKeptWithTheirRun(t *testing.T) {
	t.Parallel()
	w := keeping(t, time.Hour)
	place := w.platform.Thread("C1", "")
	m := w.say("연차가 며칠이에요?", place)
	w.replies(m.Thread, 1)
	w.settled()
	v, err := w.bot.Trace(w.ctx, m.User, m.Run())
	if err != nil {
		t.Fatal(err)
	}
	call := ""
	for _, e := range v.Events {
		call += e.Call
	}
	if got := w.keptOf(m); len(got) != 1 || got[0] != "연차가 며칠이에요?" || call == "" {
		t.Fatalf("kept %q, the trace names %q", got, call)
	}
	if err := w.bot.Change(w.ctx, bot.Change{Thread: m.Thread, Message: m.ID, Deleted: true, User: m.User, At: time.Now()}); err != nil {
		t.Fatal(err)
	}
	w.until("the prompt went with its question", func() bool { return len(w.keptOf(m)) == 0 })

	second := w.say("and sick leave?", place)
	w.replies(second.Thread, 1)
	w.settled()
	if got := w.keptOf(second); len(got) != 1 {
		t.Fatalf("kept %q", got)
	}
	w.order(bot.Invocation{Name: "forget", Args: "me yes", Thread: place, User: second.User})
	if got := w.keptOf(second); len(got) != 0 {
		t.Errorf("after forget me: %q", got)
	}
}

// TestPromptsAreKeptForATime, and none without one.
func TestPromptsAreKeptForATime(t *testing.T) {
	t.Parallel()
	w := keeping(t, time.Hour)
	m := w.say("how much leave?", w.platform.Thread("C1", ""))
	w.replies(m.Thread, 1)
	w.settled()
	w.stop()
	w.now = func() time.Time { return time.Now().Add(2 * time.Hour) }
	w.start()
	w.until("the prompt is pruned", func() bool { return len(w.keptOf(m)) == 0 })
	if _, err := w.bot.Trace(w.ctx, m.User, m.Run()); err != nil {
		t.Errorf("its trace: %v", err)
	}
	w.stop()
	w.change = nil
	w.start()
	second := w.say("how much leave?", w.platform.Thread("C2", ""))
	w.replies(second.Thread, 1)
	w.settled()
	if got := w.keptOf(second); len(got) != 0 {
		t.Errorf("kept %q", got)
	}
}
