package agent

import (
	"context"
	"time"

	"maru/agent/limit"
)

// closing is the part of its time that a run keeps to report its results, as a duration and as a
// share of a short run.
const (
	closing     = 10 * time.Second
	closingPart = 10
)

// workEnd returns when the work of a run that begins now must end.
func workEnd(now time.Time, limit time.Duration) time.Time {
	return now.Add(limit - min(closing, limit/closingPart))
}

// Working returns a context for one call of a model or tool that ends shortly before until, so
// that an agent out of time can report what it has done and nobody does it twice. Time spent
// waiting in the model's queue does not count. A zero until returns ctx.
func Working(ctx context.Context, until time.Time) (context.Context, context.CancelFunc) {
	if until.IsZero() {
		return ctx, func() {}
	}
	return limit.Until(ctx, until)
}
