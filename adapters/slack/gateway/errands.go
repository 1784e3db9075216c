package gateway

import "sync"

// errands are goroutines that Wait waits for once. The bot still settles replies when an
// adapter's Run ends, so Go may be called at any time: after Wait it runs f in its caller.
type errands struct {
	mu    sync.Mutex
	ended bool
	all   sync.WaitGroup
}

// Go runs f in a goroutine, or in the caller after Wait was called.
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

// Wait accepts no new goroutine and waits for all.
func (e *errands) Wait() {
	e.mu.Lock()
	e.ended = true
	e.mu.Unlock()
	e.all.Wait()
}
