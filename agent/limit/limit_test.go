package limit_test

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"maru/agent/limit"
)

// TestHeldTimeIsNotCounted: a hold stops the clocks of every limit around it. Contexts derived from
// a limit end with context.DeadlineExceeded.
func TestHeldTimeIsNotCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		holds []time.Duration // one after the other, each after a minute of work
		ends  time.Duration   // of ten minutes
	}{
		"not held":   {nil, 10 * time.Minute},
		"held once":  {[]time.Duration{time.Hour}, 70 * time.Minute},
		"held twice": {[]time.Duration{time.Hour, 5 * time.Minute}, 75 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				outer, stop := limit.With(t.Context(), 10*time.Minute)
				defer stop()
				inner, cancel := limit.Until(outer, start.Add(9*time.Minute))
				defer cancel()
				below, end := context.WithCancel(inner)
				defer end()
				for _, d := range c.holds {
					time.Sleep(time.Minute)
					release := limit.Hold(below)
					second := limit.Hold(below) // two calls of one run wait side by side
					time.Sleep(d)
					release()
					release()
					second()
				}
				<-below.Done()
				if got := time.Since(start); got != c.ends-time.Minute || !errors.Is(below.Err(), context.DeadlineExceeded) || outer.Err() != nil {
					t.Errorf("the inner limit ended after %v: %v; the outer: %v", got, below.Err(), outer.Err())
				}
				late, stopLate := limit.Until(outer, start.Add(9*time.Minute+30*time.Second))
				defer stopLate()
				<-late.Done()
				if got := time.Since(start); got != c.ends-30*time.Second {
					t.Errorf("a limit made after the holds ended after %v, want %v", got, c.ends-30*time.Second)
				}
				<-outer.Done()
				if got := time.Since(start); got != c.ends {
					t.Errorf("the outer limit ended after %v, want %v", got, c.ends)
				}
			})
		})
	}
}

// TestAHeldLimitEndsWithItsParent: a hold delays no stop and no end of the program.
func TestAHeldLimitEndsWithItsParent(t *testing.T) {
	t.Parallel()
	parent, stop := context.WithCancel(t.Context())
	ctx, cancel := limit.With(parent, time.Hour)
	defer cancel()
	defer limit.Hold(ctx)()
	stop()
	<-ctx.Done()
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("ended by %v", ctx.Err())
	}
}

type otherKey struct{}

// TestContextsBelowStartNoGoroutines: contexts below a limit end with it, by its error, and cost no goroutine until then.
func TestContextsBelowStartNoGoroutines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := limit.With(t.Context(), time.Second)
		defer cancel()
		before := runtime.NumGoroutine()
		below := context.WithValue(ctx, otherKey{}, 1)
		var all []context.Context
		for range 50 {
			one, done := context.WithCancel(below)
			defer done()
			all = append(all, one)
		}
		if n := runtime.NumGoroutine() - before; n > 25 { // other tests of the package run beside this one
			t.Errorf("%d goroutines for %d contexts", n, len(all))
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		for _, one := range all {
			if !errors.Is(one.Err(), context.DeadlineExceeded) {
				t.Fatalf("it ends by %v", one.Err())
			}
		}
	})
}

// TestTheCauseIsThatOfTheParent: a limit and the contexts below it end by the cause of the context above.
func TestTheCauseIsThatOfTheParent(t *testing.T) {
	t.Parallel()
	stopped := errors.New("stopped")
	for range 1000 {
		above, stop := context.WithCancelCause(t.Context())
		ctx, cancel := limit.With(above, time.Minute)
		below, done := context.WithCancel(ctx)
		go stop(stopped)
		for ctx.Err() == nil {
			runtime.Gosched()
		}
		if got := context.Cause(ctx); !errors.Is(got, stopped) {
			t.Errorf("the limit's cause is %v", got)
		}
		<-below.Done()
		if got := context.Cause(below); !errors.Is(got, stopped) {
			t.Errorf("the cause below it is %v", got)
		}
		done()
		cancel()
	}
}
