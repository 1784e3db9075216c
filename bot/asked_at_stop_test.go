package bot_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// stalled is a platform that takes no question before the program stops.
type stalled struct {
	*platform
	asked atomic.Bool
}

func (p *stalled) Post(ctx context.Context, to bot.Target, c bot.Card, key string) (bot.Ref, error) {
	if len(c.Buttons) > 0 {
		p.asked.Store(true)
		<-ctx.Done()
		return bot.Ref{}, ctx.Err()
	}
	return p.platform.Post(ctx, to, c, key)
}

func (p *stalled) Edit(ctx context.Context, ref bot.Ref, c bot.Card) (bot.Ref, error) {
	if len(c.Buttons) > 0 {
		p.asked.Store(true)
		<-ctx.Done()
		return ref, ctx.Err()
	}
	return p.platform.Edit(ctx, ref, c)
}

// TestAQuestionOutlivesAStop: the program stops while a platform does not take a question, and a draft is in the
// thread. The next process asks, in a message of its own where nobody is notified of edits.
func TestAQuestionOutlivesAStop(t *testing.T) {
	t.Parallel()
	for name, facts := range map[string]bot.Facts{"one message": {}, "new messages": {SilentEdits: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var w *world
			var in atomic.Value // the thread
			w = newWorld(t, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
				if len(req.Decisions) == 0 {
					sink(agent.Event{Kind: agent.EventToken, Text: "half of it"})
					for len(w.platform.Posts(in.Load().(bot.Thread))) == 0 && ctx.Err() == nil {
						time.Sleep(time.Millisecond)
					}
				}
				return asking(ctx, req, sink)
			})
			w.stop()
			w.platform.SetFacts(facts)
			slow := &stalled{platform: w.platform}
			w.change = func(c *service.Config) { c.Adapters = []bot.Adapter{slow} }
			w.start()
			m := w.platform.Message("U1", "send a mail", w.platform.Thread("C1", ""))
			in.Store(m.Thread)
			if err := w.bot.Message(w.ctx, m); err != nil {
				t.Fatal(err)
			}
			w.until("it asks", slow.asked.Load)
			w.stop()
			w.change = nil
			w.start()
			card, err := w.platform.AwaitPost(w.ctx, m.Thread, func(p bottest.Post) bool { return len(p.Card.Buttons) > 0 })
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.bot.Action(w.ctx, click(m, card.Card.Buttons[0], "U1")); err != nil {
				t.Fatal(err)
			}
			want := 1
			if facts.SilentEdits {
				want = 2 // the question with its decision, and the answer
			}
			w.until("it is answered", func() bool { return finals(w, m) && len(w.platform.Posts(m.Thread)) == want })
			w.settled()
			if posts := w.platform.Posts(m.Thread); posts[want-1].Card.Text != "sent, says fake/T1/U1" {
				t.Errorf("%+v", posts)
			}
		})
	}
}
