package rest

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
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
	return c, newLimiter(c.time, c.wait, func(string) string { return "" })
}

// noWait stands where nothing should wait for a duration.
func noWait(context.Context, time.Duration) error { return errors.New("waited") }

func headers(remaining int, after string) http.Header { return named("", remaining, after) }

// named are headers that say what the bucket is called.
func named(bucket string, remaining int, after string) http.Header {
	h := http.Header{}
	if bucket != "" {
		h.Set("X-RateLimit-Bucket", bucket)
	}
	h.Set("X-RateLimit-Remaining", strconv.Itoa(remaining))
	h.Set("X-RateLimit-Reset-After", after)
	return h
}

func TestBucketIsRespected(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	start := c.now
	for i := range 11 {
		b, err := l.acquire(t.Context(), "edit/1", true, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.release(b, "edit/1", headers(4-i%5, "5"))
	}
	if d := c.now.Sub(start); d != 10*time.Second {
		t.Errorf("11 requests took %s, want two pauses of 5 s", d)
	}
	if _, err := l.acquire(t.Context(), "edit/2", false, nil); err != nil {
		t.Errorf("another channel has to wait: %v", err)
	}
}

// TestRoutesShareABucket gives two routes one name: what one has used up the other
// does not have, in the same channel.
func TestRoutesShareABucket(t *testing.T) {
	t.Parallel()
	ask := func(t *testing.T, l *limiter, key string, h http.Header) {
		t.Helper()
		b, err := l.acquire(t.Context(), key, false, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.release(b, key, h)
	}
	for name, c := range map[string]struct {
		told map[string]http.Header // first answers
		key  string
		busy bool
	}{
		"used_up_by_the_other_route":   {map[string]http.Header{"edit/1": named("a", 2, "5"), "post/1": named("a", 0, "5")}, "edit/1", true},
		"in_a_place_not_asked_before":  {map[string]http.Header{"edit/2": named("a", 2, "5"), "post/1": named("a", 0, "5")}, "edit/1", true},
		"another_channel":              {map[string]http.Header{"edit/2": named("a", 2, "5"), "post/1": named("a", 0, "5")}, "edit/2", false},
		"another_name":                 {map[string]http.Header{"edit/1": named("b", 2, "5"), "post/1": named("a", 0, "5")}, "edit/1", false},
		"names_that_hold_the_channel":  {map[string]http.Header{"edit/1": named("a1", 0, "5"), "edit/2": named("a2", 2, "5")}, "edit/1", true},
		"without_a_name_each_is_alone": {map[string]http.Header{"edit/1": headers(2, "5"), "post/1": headers(0, "5")}, "edit/1", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, l := newClockwork()
			for _, key := range slices.Sorted(maps.Keys(c.told)) {
				ask(t, l, key, c.told[key])
			}
			_, err := l.acquire(t.Context(), c.key, false, nil)
			if busy := errors.As(err, new(busyError)); busy != c.busy {
				t.Errorf("busy is %v: %v", busy, err)
			}
		})
	}
}

// TestFirstAnswersJoinWhileOthersWait lets two routes learn at the same time that
// they are one: nobody waits for ever, and what is in flight counts.
func TestFirstAnswersJoinWhileOthersWait(t *testing.T) {
	t.Parallel()
	l := newLimiter(time.Now, noWait, func(string) string { return "" })
	edit, err := l.acquire(t.Context(), "edit/1", true, nil)
	if err != nil {
		t.Fatal(err)
	}
	post, err := l.acquire(t.Context(), "post/1", true, nil)
	if err != nil {
		t.Fatal(err)
	}
	waited := make(chan error, 1)
	go func() {
		b, err := l.acquire(t.Context(), "edit/1", true, nil)
		l.release(b, "edit/1", named("a", 0, "60"))
		waited <- err
	}()
	l.release(edit, "edit/1", named("a", 3, "60"))
	l.release(post, "post/1", named("a", 2, "60"))
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
	if _, err := l.acquire(t.Context(), "post/1", false, nil); !errors.As(err, new(busyError)) {
		t.Errorf("after the bucket was used up: %v", err)
	}
}

func TestGlobalPauseHoldsEverything(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	start := c.now
	l.tooMany("post/1", 3*time.Second, true, false)
	var b busyError
	if _, err := l.acquire(t.Context(), "edit/2", false, nil); !errors.As(err, &b) || b.after != 3*time.Second {
		t.Errorf("what is not urgent: %v", err)
	}
	if _, err := l.acquire(t.Context(), "edit/2", true, nil); err != nil || c.now.Sub(start) != 3*time.Second {
		t.Errorf("what is urgent: %v after %s", err, c.now.Sub(start))
	}
}

func TestGlobalRate(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	start := c.now
	for i := range 10 * globalRate {
		key := "post/" + strconv.Itoa(i)
		b, err := l.acquire(t.Context(), key, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.release(b, key, nil)
	}
	if d := c.now.Sub(start); d < 9*time.Second {
		t.Errorf("%d requests in %s", 10*globalRate, d)
	}
}

// TestGlobalRateCountsFromTheAnswer has answers that take their time: Discord may
// have counted a request right before its answer.
func TestGlobalRateCountsFromTheAnswer(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	var out []*slot
	for i := range globalRate {
		s, err := l.acquire(t.Context(), "post/"+strconv.Itoa(i), true, nil)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	c.now = c.now.Add(600 * time.Millisecond)
	for i, s := range out {
		l.release(s, "post/"+strconv.Itoa(i), nil)
	}
	answered := c.now
	if _, err := l.acquire(t.Context(), "edit/1", false, nil); !errors.As(err, new(busyError)) {
		t.Errorf("what is not urgent: %v", err)
	}
	if _, err := l.acquire(t.Context(), "edit/1", true, nil); err != nil || c.now.Sub(answered) < time.Second {
		t.Errorf("one more request %s after the answers: %v", c.now.Sub(answered), err)
	}
}

// TestHangingRequestsHoldNobodyUpForLong has requests that are never answered.
func TestHangingRequestsHoldNobodyUpForLong(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	start := c.now
	for i := range globalRate + 1 {
		if _, err := l.acquire(t.Context(), "post/"+strconv.Itoa(i), true, nil); err != nil {
			t.Fatal(err)
		}
	}
	if d := c.now.Sub(start); d > globalMost {
		t.Errorf("waited %s", d)
	}
}

func TestTooManyRefusalsSilenceIt(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	sent := 0
	for range 1000 {
		if b, err := l.acquire(t.Context(), "post/1", true, nil); err == nil {
			sent++
			l.release(b, "post/1", http.Header{})
			l.refuse("post/1")
		}
		c.now = c.now.Add(100 * time.Millisecond)
	}
	if sent > guardLimit {
		t.Errorf("%d refused requests in %s", sent, 100*time.Second)
	}
	c.now = c.now.Add(guardWindow)
	if _, err := l.acquire(t.Context(), "post/1", true, nil); err != nil {
		t.Errorf("after the window: %v", err)
	}
}

// TestOneServersRefusalsSilenceIt alone: the others, and what belongs to none, are served on.
func TestOneServersRefusalsSilenceIt(t *testing.T) {
	t.Parallel()
	c, l := newClockwork()
	l.server = func(major string) string { return strings.TrimRight(major, "0123456789") } // "a1" is a channel of a
	try := func(key string, refused bool) bool {
		b, err := l.acquire(t.Context(), key, true, nil)
		if err != nil {
			return false
		}
		l.release(b, key, http.Header{})
		if refused {
			l.refuse(key)
		}
		return true
	}
	sent := 0
	for i := range 300 {
		if try("post/a"+strconv.Itoa(i), true) {
			sent++
		}
		for _, key := range []string{"post/b1", "callback/7", ""} {
			if !try(key, false) {
				t.Fatalf("%q is silenced by another server's refusals", key)
			}
		}
		c.now = c.now.Add(100 * time.Millisecond)
	}
	if sent != guardShare {
		t.Errorf("%d refused requests of one server, want %d", sent, guardShare)
	}
	c.now = c.now.Add(guardWindow)
	if !try("post/a1", false) {
		t.Error("it is silent after the window")
	}
	for i := range 2 * maxShares {
		l.refuse("post/" + strings.Repeat("x", i+1) + "1")
	}
	c.now = c.now.Add(2 * guardWindow)
	l.refuse("post/b1")
	if len(l.shares) > 1 {
		t.Errorf("%d servers are remembered", len(l.shares))
	}
}

func TestBucketsAreBounded(t *testing.T) {
	t.Parallel()
	_, l := newClockwork()
	for i := range 3 * maxBuckets {
		key := "followup/" + strconv.Itoa(i)
		b, err := l.acquire(t.Context(), key, true, nil)
		if err != nil {
			t.Fatal(err)
		}
		l.release(b, key, named("of followups", 4, "1"))
	}
	if len(l.buckets) > maxBuckets || len(l.names) > 2*maxBuckets {
		t.Errorf("%d buckets, %d names", len(l.buckets), len(l.names))
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	t.Parallel()
	l := newLimiter(time.Now, noWait, func(string) string { return "" })
	l.tooMany("x", time.Minute, true, false)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	var b busyError
	if _, err := l.acquire(ctx, "x", true, nil); !errors.As(err, &b) {
		t.Errorf("a wait beyond the deadline: %v", err)
	}
}

// TestPatienceWithABucket: a call that already waits learns that its bucket is closed for longer than the call may wait.
// All its waits count together, those for other limits do not.
func TestPatienceWithABucket(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, l := newClockwork()
		first, err := l.acquire(t.Context(), "threads/1", true, nil)
		if err != nil {
			t.Fatal(err)
		}
		waited := make(chan error, 1)
		go func() {
			_, err := l.acquire(t.Context(), "threads/1", true, &patience{left: 10 * time.Second})
			waited <- err
		}()
		synctest.Wait()
		l.tooMany("threads/1", 100*time.Second, false, false)
		l.release(first, "threads/1", nil)
		if err := <-waited; !errors.As(err, new(busyError)) {
			t.Errorf("a bucket that is closed for 100 s: %v", err)
		}
		p := &patience{left: 10 * time.Second}
		for i, busy := range []bool{false, false, true} {
			b, err := l.acquire(t.Context(), "threads/2", true, p)
			if errors.As(err, new(busyError)) != busy {
				t.Errorf("try %d: %v, %s left", i+1, err, p.left)
			}
			l.tooMany("threads/2", 6*time.Second, false, false)
			l.release(b, "threads/2", nil)
		}
		l.tooMany("", time.Minute, true, false)
		from := c.now
		if _, err := l.acquire(t.Context(), "threads/3", true, &patience{left: time.Second}); err != nil || c.now.Sub(from) != time.Minute {
			t.Errorf("a pause of all calls: %v after %s", err, c.now.Sub(from))
		}
	})
}
