package reply

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"maru/bot"
)

// busyThread is a thread at work whose replies are open, with an adapter that counts marks.
type busyThread struct {
	bot.Adapter
	Record
	Workers

	marks int
}

func (b *busyThread) React(context.Context, bot.Target, string, bot.Mark, bool) error {
	b.marks++
	return nil
}

func (b *busyThread) Start(context.Context, func(context.Context)) {}

func (b *busyThread) Busy(string) bool { return true }

func (b *busyThread) Reply(context.Context, string) (bot.Reply, error) {
	return bot.Reply{}, bot.ErrNotFound
}

func (b *busyThread) Open(_ context.Context, _ bot.Lease, r bot.Reply) (bot.Reply, bool, error) {
	return r, true, nil
}

// TestQueuedMessageWaitsUntilItsRunBegins: a message whose turn comes soon holds nothing until it would have been marked as
// queued; one that waits on is marked.
func TestQueuedMessageWaitsUntilItsRunBegins(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begins, lasts time.Duration
		marks         int
	}{
		"turn_comes_soon": {10 * time.Millisecond, 10 * time.Millisecond, 0},
		"waits_on":        {time.Minute, queuedAfter, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := &busyThread{}
				rs := New(Config{Record: b, Adapters: map[string]bot.Adapter{"slack": b}, Workers: b, Chores: b, Log: slog.New(slog.DiscardHandler), Now: time.Now})
				m := bot.Message{ID: "m", Thread: bot.Thread{Platform: "slack", Team: "T", Channel: "C", ID: "1"}}
				var other sync.WaitGroup
				defer other.Wait()
				other.Go(func() {
					time.Sleep(c.begins)
					it := bot.Item{ID: "m", Thread: m.Thread.Key(), Kind: bot.ItemMessage}
					if _, err := rs.Begin(t.Context(), bot.Lease{}, it, m, Look{Still: true}); err != nil {
						t.Error(err)
					}
				})
				begun := time.Now()
				rs.ShowQueued(t.Context(), m)
				if took := time.Since(begun); took != c.lasts || b.marks != c.marks {
					t.Errorf("it waits for %v and is marked %d times, want %v and %d", took, b.marks, c.lasts, c.marks)
				}
			})
		})
	}
}
