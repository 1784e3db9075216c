package bot_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/service"
)

// shaky is a record that can be told to answer renewals with an error.
type shaky struct {
	bot.Record
	err atomic.Pointer[error]
}

func (s *shaky) Renew(ctx context.Context, l bot.Lease, ttl time.Duration) (bot.Lease, error) {
	if err := s.err.Load(); err != nil {
		return bot.Lease{}, *err
	}
	return s.Record.Renew(ctx, l, ttl)
}

func newShakyWorld(t *testing.T, ahead *atomic.Int64, think func(context.Context, agent.Request, agent.Sink) (agent.Result, error)) (*world, *shaky) {
	t.Helper()
	w := newWorld(t, think)
	w.stop()
	s := &shaky{}
	w.change = func(c *service.Config) {
		s.Record = c.Record
		c.Record = s
		c.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	}
	w.start()
	return w, s
}

// A process that is stopped for longer than its lease and then goes on must not
// touch the reply any more: its successor may have finished it.
func TestStoppedProcessDoesNotTouchTheReplyAgain(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	var calls atomic.Int32
	shown, woken := make(chan struct{}), make(chan struct{})
	w, s := newShakyWorld(t, &ahead, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		if calls.Add(1) > 1 {
			return agent.Result{Text: "the successor's answer"}, nil
		}
		sink(agent.Event{Kind: agent.EventToken, Text: "first half"})
		close(shown)
		<-woken
		sink(agent.Event{Kind: agent.EventToken, Text: ", stale half"})
		return agent.Result{Text: "the zombie's answer"}, nil
	})
	m := w.say("hello", w.platform.Thread("C1", ""))
	<-shown
	w.until("a draft is shown", func() bool {
		posts := w.platform.Posts(m.Thread)
		return len(posts) > 0 && posts[0].Card.Text == "first half"
	})
	fenced := error(bot.ErrFenced)
	s.err.Store(&fenced)
	ahead.Store(int64(time.Hour)) // it slept
	before := w.platform.Posts(m.Thread)
	close(woken)
	for calls.Load() < 2 { // it has let go of the thread, and taken it again
		if got := w.platform.Posts(m.Thread); calls.Load() < 2 && got[0].Card.Text != before[0].Card.Text {
			t.Fatalf("a draft was edited without the lease: %q", got[0].Card.Text)
		}
		if w.ctx.Err() != nil {
			t.Fatal("the item was never taken again")
		}
	}
	s.err.Store(nil)
	if posts := w.replies(m.Thread, 1); len(posts) != 1 || posts[0].Card.Text != "the successor's answer" {
		t.Errorf("replies: %+v", posts)
	}
}

// A run that fails because the record is away is not answered with an excuse:
// it goes on when the record is back.
func TestRunWaitsForItsRecord(t *testing.T) {
	t.Parallel()
	var ahead atomic.Int64
	var calls atomic.Int32
	down := errors.New("dial tcp: connection refused")
	var s *shaky
	var w *world
	ready := make(chan struct{})
	w, s = newShakyWorld(t, &ahead, func(ctx context.Context, req agent.Request, sink agent.Sink) (agent.Result, error) {
		<-ready
		if calls.Add(1) == 1 {
			s.err.Store(&down)
			return agent.Result{}, errors.New("append to thread: connection refused")
		}
		s.err.Store(nil)
		return echo(ctx, req, sink)
	})
	m := w.say("hello", w.platform.Thread("C1", ""))
	close(ready)
	posts := w.replies(m.Thread, 1)
	if len(posts) != 1 || posts[0].Card.Text != "echo: hello" {
		t.Errorf("replies: %+v", posts)
	}
}
