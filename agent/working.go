package agent

import (
	"context"
	"time"

	"maru/agent/limit"
)

// closing is how much of its time a run keeps to report what it has done: of a long one,
// and as a part of a short one.
const (
	closing     = 10 * time.Second
	closingPart = 10
)

// workEnd is when the work of a run that begins now must end.
func workEnd(now time.Time, limit time.Duration) time.Time {
	return now.Add(limit - min(closing, limit/closingPart))
}

// Working returns a context for one call of a model or a tool, which ends at until. That is a
// little before the run ends: an agent whose time is up still reports what it has done, so that
// nobody does it twice. Time in which the run waited for its turn at the model is not counted. A zero
// until leaves ctx as it is.
func Working(ctx context.Context, until time.Time) (context.Context, context.CancelFunc) {
	if until.IsZero() {
		return ctx, func() {}
	}
	return limit.Until(ctx, until)
}
