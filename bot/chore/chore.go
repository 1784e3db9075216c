// Package chore runs background work beside an event: optional reactions that nobody waits for, and work whose
// panic must not crash the process.
//
// It knows nothing of messages, people or the record.
package chore

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Chores runs small optional tasks beside an event, so that the platform does not wait for them. They may be lost.
type Chores struct {
	log *slog.Logger

	mu   sync.Mutex
	over chan struct{} // closed when the program ends
	open sync.WaitGroup
}

// New returns Chores that log a panic.
func New(log *slog.Logger) *Chores { return &Chores{log: log, over: make(chan struct{})} }

// within limits a chore.
const within = 10 * time.Second

// Start does a chore, unless End was called; End cancels it.
func (c *Chores) Start(ctx context.Context, do func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.over:
		return
	default:
	}
	c.open.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
		defer cancel()
		var watch sync.WaitGroup
		watch.Go(func() {
			select {
			case <-c.over:
				cancel()
			case <-ctx.Done():
			}
		})
		Guard(ctx, c.log, "chore", func() { do(ctx) })
		cancel()
		watch.Wait()
	})
}

// End cancels running chores, waits for them and starts no more.
func (c *Chores) End() {
	c.mu.Lock()
	select {
	case <-c.over:
	default:
		close(c.over)
	}
	c.mu.Unlock()
	c.open.Wait()
}

// lastWords limits writes after the end of their context.
const lastWords = 5 * time.Second

// AtTheEnd returns a context for writes that must happen although ctx may have ended, because the program stops or
// the caller has given up.
func AtTheEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), lastWords)
}
