package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// group runs work beside the calls that start it. It keeps a panic from ending the
// program, and everything it started has ended when stop returns.
type group struct {
	log *slog.Logger

	mu      sync.Mutex
	stopped bool
	work    sync.WaitGroup
	done    chan struct{} // closed by stop
}

func newGroup(log *slog.Logger) *group { return &group{log: log, done: make(chan struct{})} }

// spawn runs f beside; false when the adapter has ended. f's context ends with
// the adapter.
func (g *group) spawn(ctx context.Context, f func(context.Context)) bool {
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
		defer g.survive(ctx, "background work")
		f(ctx)
	})
	return true
}

// survive keeps a panic in one event from ending the program.
func (g *group) survive(ctx context.Context, what string) {
	if r := recover(); r != nil {
		g.log.ErrorContext(ctx, "discord adapter panicked", "where", what, "panic", fmt.Sprint(r), "stack", string(debug.Stack()))
	}
}

// survived does what somebody waits for: a panic in it is an error.
func (g *group) survived(ctx context.Context, what string, f func() error) (err error) {
	err = errPanicked
	defer g.survive(ctx, what)
	return f()
}

var errPanicked = errors.New("discord: panicked")

// stop ends the contexts of what was started, takes nothing more, and waits.
func (g *group) stop() {
	g.mu.Lock()
	g.stopped = true
	g.mu.Unlock()
	close(g.done)
	g.work.Wait()
}
