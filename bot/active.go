package bot

import (
	"context"
	"sync"
)

// activeRuns knows the runs of this process, so that they can be stopped.
type activeRuns struct {
	mu   sync.Mutex
	runs map[string]activeRun // by run id
}

type activeRun struct {
	thread string
	cancel context.CancelCauseFunc
	shown  func() PostedCard // what its reply shows right now
}

func newActiveRuns() *activeRuns { return &activeRuns{runs: map[string]activeRun{}} }

// begin registers a run; the returned func ends it.
func (a *activeRuns) begin(ctx context.Context, run, thread string, shown func() PostedCard) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	a.mu.Lock()
	a.runs[run] = activeRun{thread: thread, cancel: cancel, shown: shown}
	a.mu.Unlock()
	return ctx, func() {
		a.mu.Lock()
		delete(a.runs, run)
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
