// Package task runs background work for the parts of [maru/adapters/discord]. The caller of a
// [Group] does not wait for the work; Stop does. The package does not know the purpose of the
// work.
package task

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// Group runs background work. It recovers panics, and all its goroutines have ended when Stop
// returns.
type Group struct {
	log *slog.Logger

	mu      sync.Mutex
	stopped bool
	work    sync.WaitGroup
	done    chan struct{} // closed by stop
}

// New returns a group that logs panics to log.
func New(log *slog.Logger) *Group { return &Group{log: log, done: make(chan struct{})} }

// Spawn runs f in a goroutine; false after Stop. f's context keeps the values of ctx, and
// ends only with the group.
func (g *Group) Spawn(ctx context.Context, f func(context.Context)) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped {
		return false
	}
	g.work.Go(func() {
		ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
		defer cancel()
		var watch sync.WaitGroup
		watch.Go(func() {
			select {
			case <-g.done:
				cancel()
			case <-ctx.Done():
			}
		})
		defer watch.Wait()
		defer cancel()
		defer g.Recover(ctx, "background work")
		f(ctx)
	})
	return true
}

// Recover recovers a panic in the handling of one event; defer it.
func (g *Group) Recover(ctx context.Context, what string) {
	if r := recover(); r != nil {
		g.log.ErrorContext(ctx, "discord adapter panicked", "where", what, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
	}
}

// Guard runs f and converts a panic to an error.
func (g *Group) Guard(ctx context.Context, what string, f func() error) (err error) {
	err = errPanicked
	defer g.Recover(ctx, what)
	return f()
}

var errPanicked = errors.New("discord: panicked")

// Stop cancels the group's contexts, accepts no new work, and waits.
func (g *Group) Stop() {
	g.mu.Lock()
	g.stopped = true
	g.mu.Unlock()
	close(g.done)
	g.work.Wait()
}
