package bot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// asks says something, then asks as often as times says, and then answers.
func asks(times int, before func()) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	return func(_ context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "half of it"})
		before()
		n := len(req.Decisions)
		if n == 1 && strings.HasPrefix(req.Decisions[0].Interrupt, "i") {
			_, _ = fmt.Sscanf(req.Decisions[0].Interrupt, "i%d", &n)
		}
		if n < times {
			return agent.Result{Interrupts: []agent.Interrupt{{
				ID: fmt.Sprintf("i%d", n+1), Kind: "plan", Payload: json.RawMessage(fmt.Sprintf(`{"question":"Question %d?"}`, n+1)),
			}}}, nil
		}
		return agent.Result{Text: "done"}, nil
	}
}

// shownIn returns how the messages of a thread look in a word each: "question 1", "decided", "answer" …
func shownIn(w *world, in bot.Thread) string {
	var out []string
	for _, p := range w.platform.Posts(in) {
		switch c := p.Card; {
		case len(c.Buttons) > 0 && c.Kind == bot.CardChoices:
			out = append(out, strings.Trim(strings.ToLower(c.Text), "?"))
		case c.Text == "done":
			out = append(out, "answer")
		case strings.Contains(c.Text, "below") && len(c.Fields) > 0:
			out = append(out, fmt.Sprintf("decided %d", len(c.Fields)))
		default:
			out = append(out, "other: "+c.Text+c.Status)
		}
	}
	return strings.Join(out, ", ")
}

// TestWhatPeopleMustNotMissIsANewMessage: where nobody is notified of edits, a run that waits for
// people posts each question and its answer again, and so does one that took over a minute. Any
// other answer stays one message. Drafts do not stay beside them, and a platform that tells of
// edits keeps one message for all.
func TestWhatPeopleMustNotMissIsANewMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		facts  bot.Facts
		times  int
		took   time.Duration
		words  bool // decided by words in the thread, not by clicks
		shown  []string
		edited bool // the answer stands where a draft was
	}{
		"a quick answer":         {bot.Facts{SilentEdits: true}, 0, 0, false, []string{"answer"}, true},
		"after 45 s":             {bot.Facts{SilentEdits: true}, 0, 45 * time.Second, false, []string{"answer"}, true},
		"after 61 s":             {bot.Facts{SilentEdits: true}, 0, 61 * time.Second, false, []string{"answer"}, false},
		"one question":           {bot.Facts{SilentEdits: true}, 1, 0, false, []string{"question 1", "decided 1, answer"}, false},
		"two questions":          {bot.Facts{SilentEdits: true}, 2, 0, false, []string{"question 1", "decided 1, question 2", "decided 1, decided 2, answer"}, false},
		"words":                  {bot.Facts{SilentEdits: true}, 2, 0, true, []string{"question 1", "decided 1, question 2", "decided 1, decided 2, answer"}, false},
		"edits are noticed":      {bot.Facts{}, 2, 0, false, []string{"question 1", "question 2", "answer"}, true},
		"edits are noticed, 61s": {bot.Facts{}, 0, 61 * time.Second, false, []string{"answer"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w *world
			var forward func(time.Duration)
			w = newWorld(t, asks(c.times, func() {
				w.until("a draft stands", func() bool {
					return len(w.platform.Posts(bot.Thread{Platform: "fake", Team: "T1", Channel: "C1", ID: "m000001"})) > 0
				})
				forward(c.took)
			}))
			w.platform.SetFacts(c.facts)
			w.change = func(c *service.Config) { c.LeaseTTL = time.Hour } // the clock must not end the run's lease
			forward = clockOf(w)
			m := w.say("do it", w.platform.Thread("C1", ""))
			for i, want := range c.shown {
				w.until(want, func() bool { return shownIn(w, m.Thread) == want })
				if i == len(c.shown)-1 {
					break
				}
				if c.words {
					w.say("yes", m.Thread)
					continue
				}
				p, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return strings.Contains(p.Card.Text, fmt.Sprintf("Question %d", i+1)) })
				if err != nil {
					t.Fatal(err)
				}
				w.act(click(m, p.Card.Buttons[0], "U1"))
			}
			w.settled()
			w.until("what was left is closed", func() bool { return shownIn(w, m.Thread) == c.shown[len(c.shown)-1] })
			if got, want := shownIn(w, m.Thread), c.shown[len(c.shown)-1]; got != want {
				t.Errorf("in the end people see %q, want %q", got, want)
			}
			posts := w.platform.Posts(m.Thread)
			if last := posts[len(posts)-1]; c.edited != (last.Edits > 0) {
				t.Errorf("the answer stands where something else stood: %v, want %v; it was %+v", last.Edits > 0, c.edited, last.Seen)
			}
		})
	}
}
