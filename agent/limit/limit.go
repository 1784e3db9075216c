// Package limit bounds how long work may take, without the time in which it only waits for its
// turn: a run has its minutes for working, not for standing in a queue. It is like
// [context.WithTimeout], with an end that moves while [Hold] holds it. The package knows nothing
// of runs, models and tools.
package limit

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// With returns a context that ends after d of work, by [context.DeadlineExceeded]. While a hold of
// it or of a context below it lasts, its time stands still. The caller must call cancel.
func With(ctx context.Context, d time.Duration) (_ context.Context, cancel context.CancelFunc) {
	l := &limited{above: ctx, done: make(chan struct{}), end: time.Now().Add(d)}
	l.up, _ = ctx.Value(key{}).(*limited)
	l.Context, l.free = context.WithCancel(root{l})
	l.mu.Lock() // the timer may go off at once
	defer l.mu.Unlock()
	l.timer = time.AfterFunc(d, l.expire)
	l.left = context.AfterFunc(ctx, func() { l.finish(ctx.Err()) })
	return l, func() { l.finish(context.Canceled) }
}

// Until returns a context that ends at a given time, plus the time for which the outermost limit of
// ctx has been held so far. The given time is one that was computed when that limit began.
func Until(ctx context.Context, end time.Time) (context.Context, context.CancelFunc) {
	return With(ctx, time.Until(end)+Held(ctx))
}

// Hold stops the clocks of all limits of ctx until release is called. Calling release again does
// nothing, nor does Hold without limits.
func Hold(ctx context.Context) (release func()) {
	inner, _ := ctx.Value(key{}).(*limited)
	for l := inner; l != nil; l = l.up {
		l.hold()
	}
	return sync.OnceFunc(func() {
		for l := inner; l != nil; l = l.up {
			l.release()
		}
	})
}

// Held returns how long the outermost limit of ctx has been held so far, 0 without one.
func Held(ctx context.Context) time.Duration {
	l, _ := ctx.Value(key{}).(*limited)
	if l == nil {
		return 0
	}
	for l.up != nil {
		l = l.up
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heldBy(time.Now())
}

type key struct{}

// limited is a context of [With].
type limited struct {
	context.Context //nolint:containedctx // a standard cancel context below root: contexts derived from it need no goroutine

	above context.Context //nolint:containedctx // the context that is limited
	up    *limited        // the next limit outwards
	timer *time.Timer
	left  func() bool           // stops watching the parent
	done  chan struct{}         // of root
	over  atomic.Pointer[error] // of root: err

	mu    sync.Mutex
	end   time.Time // if it is held no more
	holds int
	since time.Time     // the first of the holds began
	held  time.Duration // by holds that are over
	err   error
	ended func() // cancels the child of root with err
	free  context.CancelFunc
}

// root is the parent of a limit's cancel context. It ends with the limit.
type root struct{ l *limited }

// Deadline implements [context.Context].
func (r root) Deadline() (time.Time, bool) { return r.l.Deadline() }

// Done implements [context.Context].
func (r root) Done() <-chan struct{} { return r.l.done }

// Err implements [context.Context].
func (r root) Err() error {
	if err := r.l.over.Load(); err != nil {
		return *err
	}
	return nil
}

// Value implements [context.Context].
func (r root) Value(k any) any { return r.l.above.Value(k) }

// AfterFunc registers the one child. Without it [context.WithCancel] would start a goroutine to watch root.
func (r root) AfterFunc(f func()) (stop func() bool) {
	r.l.ended = f
	return func() bool { return false }
}

// Value implements [context.Context].
func (l *limited) Value(k any) any {
	if k == (key{}) {
		return l
	}
	return l.Context.Value(k)
}

// Err implements [context.Context]. What has ended is seen at once, before anybody was woken by it.
func (l *limited) Err() error {
	if err := l.above.Err(); err != nil {
		l.finish(err)
	}
	l.expire()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// Deadline implements [context.Context]: the end if no hold follows.
func (l *limited) Deadline() (time.Time, bool) {
	l.mu.Lock()
	end := l.end
	if l.holds > 0 {
		end = end.Add(time.Since(l.since))
	}
	l.mu.Unlock()
	if outer, ok := l.above.Deadline(); ok && outer.Before(end) {
		return outer, true
	}
	return end, true
}

// expire ends the context when its time is over, unless it is held or was held meanwhile.
func (l *limited) expire() {
	l.mu.Lock()
	over := l.holds == 0 && !time.Now().Before(l.end)
	l.mu.Unlock()
	if over {
		l.finish(context.DeadlineExceeded)
	}
}

// finish ends the context. Whoever sees its error sees its cause as well: the child of root is cancelled under the lock.
func (l *limited) finish(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return
	}
	l.err = err
	l.over.Store(&err)
	l.timer.Stop()
	l.left()
	close(l.done)
	l.ended()
	l.free()
}

func (l *limited) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holds++; l.holds == 1 {
		l.since = time.Now()
		l.timer.Stop()
	}
}

func (l *limited) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holds--; l.holds > 0 {
		return
	}
	d := time.Since(l.since)
	l.held += d
	l.end = l.end.Add(d)
	if l.err == nil {
		l.timer.Reset(max(0, time.Until(l.end)))
	}
}

// heldBy returns how long it has been held until now. The caller holds mu.
func (l *limited) heldBy(now time.Time) time.Duration {
	if l.holds > 0 {
		return l.held + now.Sub(l.since)
	}
	return l.held
}
