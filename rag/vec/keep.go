package vec

import (
	"context"
	"log/slog"
	"time"
)

// How long work that failed, as a rule because of the embedder, is left alone: first so long, then twice as long each
// time, up to the last.
const (
	retryFirst = 2 * time.Second
	retryLast  = 5 * time.Minute
)

// Keeper does in the background what a stored index still lacks: vectors, and the terms of
// the present analyser.
type Keeper struct {
	Fill func(context.Context) error // does all there is to do
	Wake <-chan struct{}             // there is more: it is looked for at once
	Poll time.Duration               // it is looked for after so long in any case; 0: only when woken
	Log  *slog.Logger
}

// Run works until ctx ends. After an error what is left is tried again less and less
// often, or when something new comes.
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

// rest waits for something to do, at most so long; 0 is as long as it takes.
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
