package gateway

import "sync"

// errands are goroutines that are waited for once. The bot still settles replies
// when an adapter's Run ends, so one may come at any time: what comes too late
// to be waited for runs in its caller.
type errands struct {
	mu    sync.Mutex
	ended bool
	all   sync.WaitGroup
}

// Go runs f beside, or here when Wait was called.
func (e *errands) Go(f func()) {
	e.mu.Lock()
	if e.ended {
		e.mu.Unlock()
		f()
		return
	}
	e.all.Go(f)
	e.mu.Unlock()
}

// Wait takes no more and waits for all.
func (e *errands) Wait() {
	e.mu.Lock()
	e.ended = true
	e.mu.Unlock()
	e.all.Wait()
}
