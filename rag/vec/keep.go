package vec

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
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
	Last *Outcome // where the last error is kept; nil: nowhere
}

// Outcome is how vectors were made last: of passages by a [Keeper], and of a question. The zero value is a good end.
type Outcome struct {
	mu    sync.Mutex
	err   error
	asked error
}

// Err returns the last error, nil if the last tries went well.
func (o *Outcome) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return cmp.Or(o.err, o.asked)
}

// Asked notes how the vector of a question was made, nil if well. back reports that the model answers again after
// passages could not be embedded: there is no need to wait longer with them.
func (o *Outcome) Asked(err error) (back bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked = err
	return err == nil && o.err != nil
}

func (o *Outcome) set(err error) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = err
}

// Run works until ctx ends. After an error it retries with backoff, or when woken, which makes it no more patient.
func (k Keeper) Run(ctx context.Context) {
	wait := retryFirst
	for ctx.Err() == nil {
		err := k.Fill(ctx)
		if ctx.Err() != nil {
			return
		}
		k.Last.set(err)
		if err == nil {
			wait = retryFirst
			k.rest(ctx, k.Poll)
			continue
		}
		k.Log.WarnContext(ctx, "index: work in the background failed", "err", err, "wait", wait.String())
		if woken := k.rest(ctx, wait); !woken {
			wait = min(2*wait, retryLast)
		}
	}
}

// rest waits for a wake-up, at most the given time; 0 means no limit.
func (k Keeper) rest(ctx context.Context, most time.Duration) (woken bool) {
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
		return true
	}
	return false
}
