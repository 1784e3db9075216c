package bot_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"maru/bot"
	"maru/bot/service"
	"maru/memory/sqlitestore"
)

// finishing is a record of a thread whose work has just come to its end: it is told as at work, and
// when it is to be stopped the message that came upon it has its turn.
type finishing struct {
	*sqlitestore.Store
	armed atomic.Bool
	begun chan string
}

func (f *finishing) Working(context.Context, string) (bool, error) { return f.armed.Load(), nil }

func (f *finishing) OpenReplies(ctx context.Context, thread string) ([]bot.Reply, error) {
	if f.armed.CompareAndSwap(true, false) {
		<-f.begun
	}
	return f.Store.OpenReplies(ctx, thread)
}

func (*finishing) AskStop(context.Context, string, string) (bool, error) { return false, nil }
func (*finishing) Stops(context.Context, string) ([]bot.Stop, error)     { return nil, nil }
func (*finishing) HeardStops(context.Context, []bot.Stop) error          { return nil }

// TestAMessageDoesNotMakeWayForItself: what it came upon had ended by itself, and the message's own run
// was stopped in its place: nobody ever answered it.
func TestAMessageDoesNotMakeWayForItself(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"interrupt", "rollback"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			begun, let := make(chan string, 4), make(chan struct{})
			w := newWorld(t, holding(begun, let))
			w.set("while_busy", policy)
			w.stop()
			var f *finishing
			w.change = func(c *service.Config) {
				f = &finishing{Store: w.store, begun: begun}
				c.Record = f
			}
			w.start()
			f.armed.Store(true)
			m := w.say("one", w.platform.Thread("C1", ""))
			w.until("its way is free", func() bool { return !f.armed.Load() })
			close(let)
			if text := w.replies(m.Thread, 1)[0].Card.Text; text != "echo: one" {
				t.Errorf("said %q", text)
			}
			w.settled()
		})
	}
}

// TestAnotherReplicaSparesTheMessagesOwnRun: it hears of what is to end after that has ended and it has begun with
// the message itself.
func TestAnotherReplicaSparesTheMessagesOwnRun(t *testing.T) {
	t.Parallel()
	begun, let := make(chan string, 4), make(chan struct{})
	w := newWorld(t, holding(begun, let))
	w.stop()
	var r *reminding
	w.change = func(c *service.Config) {
		r = &reminding{Store: w.store}
		c.Record = r
	}
	w.start()
	m := w.say("one", w.platform.Thread("C1", ""))
	<-begun
	r.mark(bot.Stop{Thread: m.Thread.Key(), Why: "rollback but:" + bot.RunID(m.Key()), ID: "1"})
	w.until("it was told", func() bool { return r.told() >= 2 })
	r.mark(bot.Stop{Thread: m.Thread.Key(), Why: "rollback but:another", ID: "2"})
	if text := w.replies(m.Thread, 1)[0].Card.Text; !strings.Contains(text, "dropped it") {
		t.Errorf("said %q", text)
	}
	close(let)
}
