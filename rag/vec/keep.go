package vec

import (
	"context"
	"log/slog"
	"time"
)

// Backoff after a failure, usually the embedder's: from the first delay, doubled each time, up to the last.
const (
	retryFirst = 2 * time.Second
	retryLast  = 5 * time.Minute
)

// Keeper completes a stored index in the background: vectors, and terms of the present analyser.
type Keeper struct {
	Fill func(context.Context) error // does all pending work
	Wake <-chan struct{}             // wakes it at once
	Poll time.Duration               // polling interval; 0: only when woken
	Log  *slog.Logger
}

// Run works until ctx ends. After an error it retries with backoff, or when woken.
func (k Keeper) Run(ctx context.Context) {
	wait := retryFirst
	for ctx.Err() == nil {
		err, next := k.Fill(ctx), k.Poll
		if err != nil && ctx.Err() == nil {
			next, wait = wait, min(2*wait, retryLast)
			k.Log.WarnContext(ctx, "index: work in the background failed", "err", err, "wait", next.String())
		} else {
			wait = retryFirst
		}
		k.rest(ctx, next)
	}
}

// rest waits for a wake-up, at most the given time; 0 means no limit.
func (k Keeper) rest(ctx context.Context, most time.Duration) {
	var over <-chan time.Time
	if most > 0 {
		t := time.NewTimer(most)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-ctx.Done():
	case <-over:
	case <-k.Wake:
	}
}
