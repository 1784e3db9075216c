package discord

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// clockwork is a clock that only waiting moves.
type clockwork struct{ now time.Time }

func (c *clockwork) time() time.Time { return c.now }

func (c *clockwork) wait(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return ctx.Err()
}

func newClockwork() (*clockwork, *limiter) {
	c := &clockwork{now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	return c, newLimiter(c.time, c.wait)
}

func headers(remaining int, after string) http.Header {
	h := http.Header{}
	h.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	h.Set("X-RateLimit-Reset-After", after)
	return h
}

func TestBucketIsRespected(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	start := c.now
	for i := range 11 {
		if err := l.acquire(t.Context(), "edit/1", true); err != nil {
			t.Fatal(err)
		}
		l.release("edit/1", headers(4-i%5, "5"))
	}
	if d := c.now.Sub(start); d != 10*time.Second {
		t.Errorf("11 requests took %s, want two pauses of 5 s", d)
	}
	if err := l.acquire(t.Context(), "edit/2", false); err != nil {
		t.Errorf("another channel has to wait: %v", err)
	}
}

func TestGlobalPauseHoldsEverything(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	start := c.now
	l.tooMany("post/1", 3*time.Second, true, false)
	var b busyError
	if err := l.acquire(t.Context(), "edit/2", false); !errors.As(err, &b) || b.after != 3*time.Second {
		t.Errorf("what is not urgent: %v", err)
	}
	if err := l.acquire(t.Context(), "edit/2", true); err != nil || c.now.Sub(start) != 3*time.Second {
		t.Errorf("what is urgent: %v after %s", err, c.now.Sub(start))
	}
}

func TestGlobalRate(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	start := c.now
	for i := range 10 * globalRate {
		key := "post/" + strconv.Itoa(i)
		if err := l.acquire(t.Context(), key, true); err != nil {
			t.Fatal(err)
		}
		l.release(key, nil)
	}
	if d := c.now.Sub(start); d < 9*time.Second {
		t.Errorf("%d requests in %s", 10*globalRate, d)
	}
}

func TestTooManyRefusalsSilenceIt(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	sent := 0
	for range 1000 {
		if l.acquire(t.Context(), "post/1", true) == nil {
			sent++
			l.release("post/1", http.Header{})
			l.refuse()
		}
		c.now = c.now.Add(100 * time.Millisecond)
	}
	if sent >= 100 {
		t.Errorf("%d refused requests in %s", sent, 100*time.Second)
	}
	c.now = c.now.Add(guardWindow)
	if err := l.acquire(t.Context(), "post/1", true); err != nil {
		t.Errorf("after the window: %v", err)
	}
}

func TestBucketsAreBounded(t *testing.T) {
	t.Parallel()
	_, l := newClockwork()
	for i := range 3 * maxBuckets {
		key := "followup/" + strconv.Itoa(i)
		if err := l.acquire(t.Context(), key, true); err != nil {
			t.Fatal(err)
		}
		l.release(key, headers(4, "1"))
	}
	if len(l.buckets) > maxBuckets {
		t.Errorf("%d buckets", len(l.buckets))
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	t.Parallel()
	l := newLimiter(time.Now, wait)
	l.tooMany("x", time.Minute, true, false)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	var b busyError
	if err := l.acquire(ctx, "x", true); !errors.As(err, &b) {
		t.Errorf("a wait beyond the deadline: %v", err)
	}
}
