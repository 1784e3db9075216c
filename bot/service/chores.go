package service

import (
	"context"
	"sync"
	"time"
)

// chores are small things done beside an event, so that the platform does not
// wait for them. Losing one loses a courtesy.
type chores struct {
	guard func(ctx context.Context, what string, work func()) // as [Bot.surviving]

	mu   sync.Mutex
	over chan struct{} // closed: the bot ends
	open sync.WaitGroup
}

func newChores(guard func(context.Context, string, func())) *chores {
	return &chores{guard: guard, over: make(chan struct{})}
}

// choreTime bounds a chore.
const choreTime = 10 * time.Second

// start does a chore, unless the bot has ended; its end cancels the chore.
func (c *chores) start(ctx context.Context, do func(context.Context)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	select {
	case <-c.over:
		return
	default:
	}
	c.open.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), choreTime)
		defer cancel()
		var watch sync.WaitGroup
		watch.Go(func() {
			select {
			case <-c.over:
				cancel()
			case <-ctx.Done():
			}
		})
		c.guard(ctx, "chore", func() { do(ctx) })
		cancel()
		watch.Wait()
	})
}

// end cancels what was started, waits for it and starts nothing more.
func (c *chores) end() {
	c.mu.Lock()
	select {
	case <-c.over:
	default:
		close(c.over)
	}
	c.mu.Unlock()
	c.open.Wait()
}
