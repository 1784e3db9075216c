package bot_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"maru/agent"
	"maru/bot"
)

// broken is a run that never ends before the process does, lives times; getting
// further or not. Then it answers.
type broken struct {
	lives   int64
	further bool
	tried   atomic.Int64
	begun   chan struct{}
}

func (a *broken) think(ctx context.Context, r agent.Request, sink agent.Sink) (agent.Result, error) {
	if a.tried.Add(1) > a.lives {
		return agent.Result{Text: "at last"}, nil
	}
	if a.further {
		sink(agent.Event{Kind: agent.EventNodeEnd, Node: "one more"})
	}
	a.begun <- struct{}{}
	<-ctx.Done()
	return agent.Result{}, ctx.Err()
}

// A process that dies again and again under a run that gets further is not the
// run's fault; a run that dies in the same place is given up, and says so.
func TestOnlyRunsThatGetNoFurtherAreGivenUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent *broken
		want  string
	}{
		"gets_further":  {&broken{lives: 8, further: true}, "at last"},
		"stays":         {&broken{lives: 100}, "wrong on my side"},
		"never_an_end":  {&broken{lives: 100, further: true}, "wrong on my side"},
		"a_few_crashes": {&broken{lives: 2}, "at last"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.agent.begun = make(chan struct{})
			w := newWorld(t, c.agent.think)
			w.stop()
			w.change = func(cfg *bot.Config) { cfg.Attempts = 3 }
			w.start()
			root := w.platform.Thread("C1", "root")
			w.deliver(w.platform.Message("U1", "hello", root))
			ended := make(chan []string, 1)
			go func() {
				posts, err := w.platform.Await(w.ctx, root, 1)
				if err != nil {
					ended <- []string{err.Error()}
					return
				}
				ended <- []string{posts[0].Card.Text}
			}()
			for {
				select {
				case <-c.agent.begun:
					w.stop()
					w.start()
					continue
				case got := <-ended:
					if len(got) != 1 || !strings.Contains(got[0], c.want) {
						t.Errorf("after %d tries: %q, want %q", c.agent.tried.Load(), got, c.want)
					}
				}
				break
			}
			if n := c.agent.tried.Load(); n > 5*3 {
				t.Errorf("tried %d times", n)
			}
		})
	}
}

// A run that dies for good after a decision says so too: its card would stand
// there as if the work went on.
func TestRunGivenUpAfterADecisionSaysSo(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	w := newWorld(t, func(ctx context.Context, r agent.Request, sink agent.Sink) (agent.Result, error) {
		if len(r.Decisions) == 0 {
			return asking(ctx, r, sink)
		}
		begun <- struct{}{}
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	m := w.say("send a mail", w.platform.Thread("C1", ""))
	id := waitingCard(w, m).Buttons[0].ID
	w.stop()
	w.change = func(cfg *bot.Config) { cfg.Attempts = 2 }
	w.start()
	if _, err := w.bot.Action(w.ctx, bot.Action{ID: id, Verb: "accept", Thread: m.Thread, User: bot.User{ID: "U1"}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		<-begun
		w.stop()
		w.start()
	}
	posts := w.replies(m.Thread, 1)
	w.settled()
	if len(posts) != 1 || !strings.Contains(posts[0].Card.Text, "wrong on my side") || len(posts[0].Card.Buttons) > 0 {
		t.Errorf("replies: %+v", posts)
	}
}
