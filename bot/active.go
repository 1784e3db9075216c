package bot

import (
	"context"
	"sync"
)

// activeRuns knows the runs of this process, so that they can be stopped.
type activeRuns struct {
	mu    sync.Mutex
	runs  map[string]activeRun // by run id
	ended chan struct{}        // closed when the next run ends
}

type activeRun struct {
	thread string
	user   string // who asked
	cancel context.CancelCauseFunc
	shown  func() PostedCard // what its reply shows right now
}

func newActiveRuns() *activeRuns {
	return &activeRuns{runs: map[string]activeRun{}, ended: make(chan struct{})}
}

// await waits until no run works in the thread, or ctx ends.
func (a *activeRuns) await(ctx context.Context, thread string) error {
	for {
		a.mu.Lock()
		ended, busy := a.ended, false
		for _, r := range a.runs {
			busy = busy || r.thread == thread
		}
		a.mu.Unlock()
		if !busy {
			return nil
		}
		select {
		case <-ended:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// begin registers a run; the returned func ends it.
func (a *activeRuns) begin(ctx context.Context, run, thread, user string, shown func() PostedCard) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	a.mu.Lock()
	a.runs[run] = activeRun{thread: thread, user: user, cancel: cancel, shown: shown}
	a.mu.Unlock()
	return ctx, func() {
		a.mu.Lock()
		delete(a.runs, run)
		close(a.ended)
		a.ended = make(chan struct{})
		a.mu.Unlock()
		cancel(nil)
	}
}

func (a *activeRuns) cancelRun(run string, cause error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	r, ok := a.runs[run]
	if ok {
		r.cancel(cause)
	}
	return ok
}

func (a *activeRuns) cancelThread(thread string, cause error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := false
	for _, r := range a.runs {
		if r.thread == thread {
			r.cancel(cause)
			found = true
		}
	}
	return found
}

// cancelFor cancels a person's runs in all threads of a channel.
func (a *activeRuns) cancelFor(channel Thread, user string, cause error) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	found := false
	for _, r := range a.runs {
		if r.user == user && samePlace(r.thread, channel) {
			r.cancel(cause)
			found = true
		}
	}
	return found
}

// drafts returns what the replies of the thread's runs show right now.
func (a *activeRuns) drafts(thread string) []PostedCard {
	a.mu.Lock()
	defer a.mu.Unlock()
	var cards []PostedCard
	for _, r := range a.runs {
		if r.thread == thread {
			cards = append(cards, r.shown())
		}
	}
	return cards
}
