package bot_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"maru/agent"
	"maru/memory/history"
)

// holding answers when it is let, or not at all.
func holding(begun chan<- string, let <-chan struct{}) func(context.Context, agent.Request, agent.Sink) (agent.Result, error) {
	return func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		sink(agent.Event{Kind: agent.EventToken, Text: "half"})
		begun <- req.Text
		select {
		case <-let:
			return agent.Result{Text: "echo: " + req.Text}, nil
		case <-ctx.Done():
			return agent.Result{}, ctx.Err()
		}
	}
}

// TestWhileBusy is the table of what a message does that comes while a run works.
func TestWhileBusy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]struct {
		first, second string
		forgotten     int
	}{
		"queue":     {"echo: one", "echo: two", 0},
		"interrupt": {"half", "echo: two", 0},
		"rollback":  {"dropped it", "echo: two", 1},
		"reject":    {"echo: one", "still working", 0},
	} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			begun, let := make(chan string, 4), make(chan struct{}, 4)
			w := newWorld(t, holding(begun, let))
			w.set("while_busy", policy)
			m := w.say("one", w.platform.Thread("C1", ""))
			<-begun
			if _, err := w.platform.Say(w.ctx, "U1", "two", m.Thread); err != nil {
				t.Fatal(err)
			}
			switch policy {
			case "queue":
				let <- struct{}{}
				<-begun
			case "reject":
				w.replies(m.Thread, 1) // it is told so
			default:
				<-begun
			}
			let <- struct{}{}
			texts := ""
			for _, p := range w.replies(m.Thread, 2) {
				texts += p.Card.Text + "\n"
			}
			w.settled()
			if !strings.Contains(texts, want.first) || !strings.Contains(texts, want.second) {
				t.Errorf("replies %q", texts)
			}
			if n := len(w.agent.amended); n != want.forgotten {
				t.Errorf("%d messages are forgotten, want %d", n, want.forgotten)
			}
		})
	}
}

// TestFiveMessagesWhileBusy: five messages on a thread end as the policy says, in order, and no two runs of the thread
// ever work at once.
func TestFiveMessagesWhileBusy(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]string{"queue": "one two three four five", "interrupt": "five", "rollback": "five", "reject": "one"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var working, most int
			var finished []string
			begun, let := make(chan string, 20), make(chan struct{})
			w := newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				mu.Lock()
				working++
				most = max(most, working)
				mu.Unlock()
				defer func() {
					mu.Lock()
					working--
					mu.Unlock()
				}()
				begun <- req.Text
				select {
				case <-let:
				case <-ctx.Done():
					return agent.Result{}, ctx.Err()
				}
				mu.Lock()
				defer mu.Unlock()
				finished = append(finished, req.Text)
				return agent.Result{Text: "echo: " + req.Text}, nil
			})
			w.set("while_busy", policy)
			m := w.say("one", w.platform.Thread("C1", ""))
			<-begun
			for _, text := range strings.Fields("two three four five") {
				if _, err := w.platform.Say(w.ctx, "U1", text, m.Thread); err != nil {
					t.Fatal(err)
				}
			}
			if policy == "reject" {
				w.replies(m.Thread, 1)
			}
			close(let)
			w.until("the last answer", func() bool {
				words := strings.Fields(want)
				return shows(w, m.Thread, "echo: "+words[len(words)-1]) == 1
			})
			w.settled()
			mu.Lock()
			defer mu.Unlock()
			if got := strings.Join(finished, " "); got != want || most != 1 {
				t.Errorf("finished %q, want %q; %d runs at once", got, want, most)
			}
		})
	}
}

// TestWhatWasInterruptedBeforeItBeganIsNotForgotten: the agent has not saved the message, and finds it in the thread's
// past when it answers the next one.
func TestWhatWasInterruptedBeforeItBeganIsNotForgotten(t *testing.T) {
	t.Parallel()
	for policy, want := range map[string]int{"interrupt": 1, "rollback": 0} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			begun, let := make(chan string, 4), make(chan struct{}, 4)
			w := newWorld(t, func(ctx context.Context, req agent.Request, _ agent.Sink) (agent.Result, error) {
				return holding(begun, let)(ctx, req, func(agent.Event) {})
			})
			w.set("while_busy", policy)
			m := w.say("one", w.platform.Thread("C1", ""))
			<-begun
			second := w.say("two", m.Thread)
			<-begun
			missed, err := history.New(w.store).Missed(t.Context(), m.Thread.Key(), second.Key(), func(string) bool { return false }, 10)
			if err != nil || len(missed) != want || want == 1 && missed[0].Text != "one" {
				t.Errorf("missed %+v, %v", missed, err)
			}
			let <- struct{}{}
			w.replies(m.Thread, 2)
		})
	}
}
