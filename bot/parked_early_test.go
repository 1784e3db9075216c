package bot_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"maru/bot"
	"maru/bot/bottest"
	"maru/bot/service"
)

// slowPark is a record that is about to park an item until it is let go on.
type slowPark struct {
	*killed
	parks chan struct{}
	goOn  chan struct{}
}

func (s *slowPark) Finish(ctx context.Context, l bot.Lease, item string, out bot.Outcome) error {
	if out.Park {
		select {
		case s.parks <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-s.goOn:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.killed.Finish(ctx, l, item, out)
}

// TestAClickBeforeTheItemIsParked clicks a notice that is shown while its item is not parked yet: it is retried as soon as
// it is, also by another process, and once.
func TestAClickBeforeTheItemIsParked(t *testing.T) {
	t.Parallel()
	for name, dies := range map[string]bool{"commits late": false, "dies before the commit": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &deadly{lives: 2, begun: make(chan struct{})}
			w := newWorld(t, a.think)
			parks, goOn := make(chan struct{}), make(chan struct{})
			kill := killable(w, func(cfg *service.Config) {
				cfg.Record = &slowPark{killed: cfg.Record.(*killed), parks: parks, goOn: goOn}
			})
			root := w.platform.Thread("C1", "root")
			w.deliver(w.platform.Message("U1", "a deadly question", root))
			for range 2 {
				<-a.begun
				kill()
			}
			<-parks
			var notice bottest.Post
			for _, p := range w.platform.Posts(root) {
				if len(p.Card.Buttons) == 1 && p.Card.Buttons[0].Verb == "retry" {
					notice = p
				}
			}
			click := func() string {
				b := notice.Card.Buttons[0]
				ans, err := w.bot.Action(w.ctx, bot.Action{ID: b.ID, Verb: b.Verb, Thread: root, User: bot.User{ID: "U2"}})
				if err != nil || ans.Card == nil {
					t.Fatalf("click: %+v, %v", ans, err)
				}
				return ans.Card.Text
			}
			if said := click(); !strings.Contains(said, "1") {
				t.Errorf("the click is told %q", said)
			}
			if dies {
				kill()
				<-parks
			}
			close(goOn)
			w.until("it is answered", func() bool { return shows(w, root, "at last") == 1 })
			w.settled()
			if n := parkedNow(w); n != 0 || shows(w, root, "Nothing is lost") != 0 || a.tried.Load() != 3 {
				t.Errorf("%d are parked after %d tries", n, a.tried.Load())
			}
			if said := click(); strings.Contains(said, "1") {
				t.Errorf("a second click is told %q", said)
			}
		})
	}
}

// retryingFirst is a record that runs a function once, before it reads which item rests in a thread.
type retryingFirst struct {
	*killed
	before func()
}

func (r *retryingFirst) Note(ctx context.Context, key string) (string, error) {
	if strings.HasPrefix(key, "resting/") {
		r.before()
	}
	return r.killed.Note(ctx, key)
}

// TestARetryWhileAnotherMessageBegins retries a parked item when a worker already has the next message of the thread: the
// item continues in the thread's log.
func TestARetryWhileAnotherMessageBegins(t *testing.T) {
	t.Parallel()
	a := &deadly{lives: 2, begun: make(chan struct{})}
	w := newWorld(t, a.think)
	var armed atomic.Bool
	kill := killable(w, func(cfg *service.Config) {
		cfg.Record = &retryingFirst{killed: cfg.Record.(*killed), before: func() {
			if !armed.CompareAndSwap(true, false) {
				return
			}
			if card, err := w.bot.Command(w.ctx, bot.Invocation{Name: "retry", Thread: w.platform.Thread("C1", "root"), User: bot.User{ID: "U2"}}); err != nil || !strings.Contains(card.Text, "1") {
				t.Errorf("retry: %+v, %v", card, err)
			}
		}}
	})
	root := w.platform.Thread("C1", "root")
	w.deliver(w.platform.Message("U1", "a deadly question", root))
	for range 2 {
		<-a.begun
		kill()
	}
	setAside(w, root)
	armed.Store(true)
	w.deliver(w.platform.Message("U1", "another", root))
	w.until("both are answered", func() bool { return shows(w, root, "echo: another") == 1 && shows(w, root, "at last") == 1 })
	w.deliver(w.platform.Message("U1", "the last", root))
	w.until("the last is answered", func() bool { return shows(w, root, "echo: the last") == 1 })
	for _, r := range w.agent.asked() {
		if (r.Aside != "") != (r.Text == "another") {
			t.Errorf("%q runs in %q", r.Text, r.Log())
		}
	}
}
