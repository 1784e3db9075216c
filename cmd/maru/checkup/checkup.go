// Package checkup holds checks of the running program's parts for `/maru doctor` and the console's page of health. It
// bounds the wait for a check that may take long ([Check]): the check goes on in the background, and later questions get
// its result.
package checkup

import (
	"context"
	"sync"
	"time"
)

// Check is a check with at most one try at a time. Create it with [New] and close it.
type Check struct {
	try    func(context.Context) error
	wait   time.Duration
	ctx    context.Context //nolint:containedctx // of the tries in the background
	cancel context.CancelFunc

	mu  sync.Mutex
	now *attempt // under way, or ended and not reported yet; nil: none
}

// attempt is one try.
type attempt struct {
	ended chan struct{}
	err   error     // once ended is closed
	at    time.Time // of the end, once ended is closed
}

// kept is how long a result that nobody waited for is still the state; after it, a new try begins.
const kept = time.Minute

// old reports whether a try ended too long ago.
func (a *attempt) old() bool {
	select {
	case <-a.ended:
		return time.Since(a.at) > kept
	default:
		return false
	}
}

// New returns a check whose callers wait no longer than wait.
func New(wait time.Duration, try func(context.Context) error) *Check {
	ctx, cancel := context.WithCancel(context.Background())
	return &Check{try: try, wait: wait, ctx: ctx, cancel: cancel}
}

// Result tries, or waits for the try that is under way. known is false while the result is not known.
func (c *Check) Result(ctx context.Context) (known bool, err error) {
	c.mu.Lock()
	a := c.now
	if a == nil || a.old() {
		a = &attempt{ended: make(chan struct{})}
		c.now = a
		go func() {
			defer close(a.ended)
			a.err = c.try(c.ctx)
			a.at = time.Now()
		}()
	}
	c.mu.Unlock()
	wait := time.NewTimer(c.wait)
	defer wait.Stop()
	select {
	case <-a.ended:
	case <-ctx.Done():
		return false, nil
	case <-wait.C:
		return false, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now == a {
		c.now = nil
	}
	return true, a.err
}

// Close ends the try that is under way and waits for it.
func (c *Check) Close() error {
	c.cancel()
	c.mu.Lock()
	a := c.now
	c.mu.Unlock()
	if a != nil {
		<-a.ended
	}
	return nil
}
