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
	over context.Context //nolint:containedctx // ends with the program, which stops running chores
	end  context.CancelFunc
	open sync.WaitGroup
}

// New returns Chores that log a panic.
func New(log *slog.Logger) *Chores {
	over, end := context.WithCancel(context.Background())
	return &Chores{log: log, over: over, end: end}
}

// within limits a chore.
const within = 10 * time.Second

// Start does a chore, unless End was called; End cancels it.
func (c *Chores) Start(ctx context.Context, do func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over.Err() != nil {
		return
	}
	c.open.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
		defer cancel()
		defer context.AfterFunc(c.over, cancel)()
		Guard(ctx, c.log, "chore", func() { do(ctx) })
	})
}

// End cancels running chores, waits for them and starts no more.
func (c *Chores) End() {
	c.mu.Lock()
	c.end()
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
