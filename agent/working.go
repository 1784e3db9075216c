package agent

import (
	"context"
	"time"
)

// closing is how much of its time a run keeps to tell what was done: of a long one, and as a
// part of a short one.
const (
	closing     = 10 * time.Second
	closingPart = 10
)

type workingKey struct{}

// withWork bounds the work within a run's limit, see [Working].
func withWork(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, workingKey{}, time.Now().Add(limit-min(closing, limit/closingPart)))
}

// Working returns a context for a call of a model or a tool. It ends a little before the run does:
// an agent whose time is up still tells what it has done, which would be done twice by who asks
// again. Outside of a run that has a limit it is ctx.
func Working(ctx context.Context) (context.Context, context.CancelFunc) {
	if until, ok := ctx.Value(workingKey{}).(time.Time); ok {
		return context.WithDeadline(ctx, until)
	}
	return ctx, func() {}
}
