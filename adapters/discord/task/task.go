// Package task runs work beside the calls that start it, for the parts of
// [maru/adapters/discord]. Whoever starts work through a [Group] does not wait for
// it; the group does, at the end. It knows nothing of what the work is.
package task

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// Group runs work beside the calls that start it. It keeps a panic from ending the
// program, and everything it started has ended when Stop returns.
type Group struct {
	log *slog.Logger

	mu      sync.Mutex
	stopped bool
	work    sync.WaitGroup
	done    chan struct{} // closed by stop
}

// New returns a group that logs panics to log.
func New(log *slog.Logger) *Group { return &Group{log: log, done: make(chan struct{})} }

// Spawn runs f in a goroutine of its own; false after Stop. f's context keeps the
// values of ctx, and ends with the group alone.
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

// Recover keeps a panic in one event from ending the program; it is deferred.
func (g *Group) Recover(ctx context.Context, what string) {
	if r := recover(); r != nil {
		g.log.ErrorContext(ctx, "discord adapter panicked", "where", what, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
	}
}

// Guard runs f, whose caller waits for it: a panic in it is an error.
func (g *Group) Guard(ctx context.Context, what string, f func() error) (err error) {
	err = errPanicked
	defer g.Recover(ctx, what)
	return f()
}

var errPanicked = errors.New("discord: panicked")

// Stop ends the contexts of what was started, takes nothing more, and waits.
func (g *Group) Stop() {
	g.mu.Lock()
	g.stopped = true
	g.mu.Unlock()
	close(g.done)
	g.work.Wait()
}
