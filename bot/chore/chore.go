// Package chore runs what happens beside an event: small courtesies that nobody waits
// for, and pieces of work whose panic must not end everybody else's.
//
// It knows nothing of messages, people or the record.
package chore

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Chores are small things done beside an event, so that the platform does not
// wait for them. Losing one loses a courtesy.
type Chores struct {
	log *slog.Logger

	mu   sync.Mutex
	over chan struct{} // closed: the program ends
	open sync.WaitGroup
}

// New returns Chores that log a panic.
func New(log *slog.Logger) *Chores { return &Chores{log: log, over: make(chan struct{})} }

// within bounds a chore.
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

// End cancels what was started, waits for it and starts nothing more.
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

// lastWords bounds what is still written when its context has ended.
const lastWords = 5 * time.Second

// AtTheEnd is a context for what must be written although ctx may have ended: the
// program stops, or a person does not wait, and what took place is to be known.
func AtTheEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), lastWords)
}
