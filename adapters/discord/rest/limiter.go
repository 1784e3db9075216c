package rest

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	globalRate   = 45              // requests a second; Discord takes 50
	globalWindow = time.Second     // that the rate counts in
	globalMost   = 2 * time.Second // how long a request without an answer counts
	globalPoll   = 100 * time.Millisecond
	maxBuckets   = 2048              // kept in memory
	guardWindow  = 10 * time.Minute  // Discord bans for 10,000 invalid requests in it
	guardLimit   = 80                // after so many the adapter stops asking
	guardShare   = 20                // after so many of one server's, it stops asking there
	maxShares    = 256               // servers whose refusals are looked through for old ones
	learnTimeout = 2 * time.Second   // how long a bucket's first answer is waited for
	maxPause     = 120 * time.Second // a longer pause is an error and not a wait
)

// limiter keeps requests below Discord's limits: one bucket for each name that
// Discord gives and major parameter, as the answers' headers describe it, one for
// all of them, and a guard against too many refused ones.
//
// A key is "route/major": the route is this package's word for a method and a
// path, the major parameter the channel, server or token that Discord counts
// apart. Several routes may share a bucket.
type limiter struct {
	now  func() time.Time
	wait func(context.Context, time.Duration) error

	mu      sync.Mutex
	buckets map[string]*bucket // by id
	names   map[string]string  // of a key, and of a route wherever it was asked last: Discord's name of its bucket
	pause   time.Time          // no request at all before it
	slots   []*slot            // those that count towards the rate of all
	refused []time.Time
	shares  map[string][]time.Time    // of them, those of one server
	server  func(major string) string // that a channel belongs to; "" if it is known of none
}

// slot is the right to send one request. Discord counts it when it arrives, which
// is somewhen between its sending and its answer: it counts here from the one until
// a window after the other, so that no window of Discord's holds too many.
type slot struct {
	bucket   *bucket
	sent     time.Time
	ends     time.Time // counts no more from then on
	answered bool
}

// bucket is what is known of one limit.
type bucket struct {
	known     bool // an answer has described it
	limited   bool // it has a limit
	remaining int
	reset     time.Time
	inFlight  int
	changed   chan struct{} // closed when an answer came
}

func newLimiter(now func() time.Time, wait func(context.Context, time.Duration) error, server func(string) string) *limiter {
	return &limiter{
		now: now, wait: wait, buckets: map[string]*bucket{}, names: map[string]string{},
		shares: map[string][]time.Time{}, server: server,
	}
}

// busyError says that a request would have to wait, and for how long.
type busyError struct{ after time.Duration }

func (b busyError) Error() string { return "rate limited for " + b.after.String() }

// id is what a key's bucket is kept under. What Discord called it decides; before
// the key's first answer, what the route was called elsewhere.
func (l *limiter) id(key string) string {
	route, major, _ := strings.Cut(key, "/")
	if name := cmp.Or(l.names[key], l.names[route]); name != "" {
		return "=" + name + "/" + major
	}
	return key
}

// acquire waits until a request of key may be sent and returns a slot, for
// release. A request that is not urgent does not wait: it gets a busyError. key ""
// is bound by nothing but pauses, and takes no slot.
func (l *limiter) acquire(ctx context.Context, key string, urgent bool) (*slot, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.mu.Lock()
		d, changed := l.next(key)
		if d <= 0 && changed == nil {
			t := l.take(key)
			l.mu.Unlock()
			return t, nil
		}
		l.mu.Unlock()
		if changed != nil {
			if err := l.learn(ctx, key, changed); err != nil {
				return nil, err
			}
			continue
		}
		if err := l.bear(ctx, d, urgent); err != nil {
			return nil, err
		}
	}
}

// learn waits for the first answer of a bucket, which describes it; a slow one
// is not waited for.
func (l *limiter) learn(ctx context.Context, key string, changed <-chan struct{}) error {
	t := time.NewTimer(learnTimeout)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-t.C:
		l.mu.Lock()
		defer l.mu.Unlock()
		if b := l.buckets[l.id(key)]; b != nil {
			b.known = true
		}
	}
	return nil
}

// bear waits, if that is asked for and bearable.
func (l *limiter) bear(ctx context.Context, d time.Duration, urgent bool) error {
	end, bounded := ctx.Deadline()
	if !urgent && d > 50*time.Millisecond || d > maxPause || bounded && end.Before(l.now().Add(d)) {
		return busyError{after: d}
	}
	return l.wait(ctx, d)
}

// next says how long to wait, or for which answer.
func (l *limiter) next(key string) (time.Duration, <-chan struct{}) {
	now := l.now()
	if d := l.guard(now, key); d > 0 {
		return d, nil
	}
	if d := l.pause.Sub(now); d > 0 {
		return d, nil
	}
	if key == "" {
		return 0, nil
	}
	if d := l.global(now); d > 0 {
		return d, nil
	}
	b := l.buckets[l.id(key)]
	switch {
	case b == nil:
		return 0, nil
	case !b.known && b.inFlight > 0:
		return 0, b.changed
	case b.limited && b.remaining <= 0 && b.reset.After(now):
		return b.reset.Sub(now), nil
	}
	return 0, nil
}

// global is how long until one more request fits into a window.
func (l *limiter) global(now time.Time) time.Duration {
	l.slots = slices.DeleteFunc(l.slots, func(t *slot) bool { return !t.ends.After(now) })
	if len(l.slots) < globalRate {
		return 0
	}
	soonest := globalMost
	for _, t := range l.slots {
		d := t.ends.Sub(now)
		if !t.answered { // as if the answer came now, and then look again
			d = max(t.sent.Add(globalWindow).Sub(now), globalPoll)
		}
		soonest = min(soonest, d)
	}
	return soonest
}

// guard is how long to be silent after too many refused requests: everywhere, or in the
// server of key. One server whose rules refuse everything must not silence the others.
func (l *limiter) guard(now time.Time, key string) time.Duration {
	l.refused = since(l.refused, now.Add(-guardWindow))
	if len(l.refused) >= guardLimit && !answersInteraction(key) {
		return l.refused[0].Add(guardWindow).Sub(now)
	}
	of := l.serverOf(key)
	if of == "" || len(l.shares[of]) < guardShare {
		return 0
	}
	l.shares[of] = since(l.shares[of], now.Add(-guardWindow))
	if len(l.shares[of]) < guardShare {
		return 0
	}
	return l.shares[of][0].Add(guardWindow).Sub(now)
}

// answersInteraction reports whether a request answers a command or a button, with a token
// of its own that is good for nothing else: it is hardly ever refused, and people wait for it.
func answersInteraction(key string) bool {
	route, _, _ := strings.Cut(key, "/")
	return route == "" || route == "original" || route == "followup"
}

func (l *limiter) serverOf(key string) string {
	_, major, _ := strings.Cut(key, "/")
	return l.server(major)
}

// count takes down a refused request.
func (l *limiter) count(key string) {
	now := l.now()
	l.refused = append(l.refused, now)
	of := l.serverOf(key)
	if of == "" {
		return
	}
	l.shares[of] = append(l.shares[of], now)
	if len(l.shares) > maxShares {
		for s, ts := range l.shares {
			if len(since(ts, now.Add(-guardWindow))) == 0 {
				delete(l.shares, s)
			}
		}
	}
}

// since drops the times before t.
func since(ts []time.Time, t time.Time) []time.Time {
	n := 0
	for n < len(ts) && !ts[n].After(t) {
		n++
	}
	return ts[n:]
}

// take counts a request.
func (l *limiter) take(key string) *slot {
	if key == "" {
		return nil
	}
	now := l.now()
	b := l.bucket(l.id(key))
	t := &slot{bucket: b, sent: now, ends: now.Add(globalMost)}
	l.slots = append(l.slots, t)
	b.inFlight++
	if !b.limited {
		return t
	}
	if b.remaining <= 0 { // its time is over: this one finds out what is allowed now, and all others wait for it
		b.remaining, b.known = 1, false
	}
	b.remaining--
	return t
}

// bucket returns the bucket of an id, a new one if there is none.
func (l *limiter) bucket(id string) *bucket {
	b := l.buckets[id]
	if b == nil {
		if len(l.buckets) >= maxBuckets {
			l.sweep(l.now())
		}
		b = &bucket{changed: make(chan struct{})}
		l.buckets[id] = b
	}
	return b
}

// sweep forgets buckets that bind nobody, if all do others that nobody waits in,
// and the names of those that are gone.
func (l *limiter) sweep(now time.Time) {
	defer func() {
		for key := range l.names {
			if strings.Contains(key, "/") && l.buckets[l.id(key)] == nil {
				delete(l.names, key)
			}
		}
	}()
	for k, b := range l.buckets {
		if b.inFlight == 0 && !b.reset.After(now) {
			delete(l.buckets, k)
		}
	}
	for k, b := range l.buckets {
		if len(l.buckets) < maxBuckets {
			return
		}
		if b.inFlight == 0 {
			delete(l.buckets, k)
		}
	}
}

// release gives a slot back and takes over what the answer's headers say; h is nil
// if there was no answer that tells.
func (l *limiter) release(t *slot, key string, h http.Header) {
	if t == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t.answered = true
	if end := l.now().Add(globalWindow); end.Before(t.ends) {
		t.ends = end
	}
	b := t.bucket
	b.inFlight--
	if h != nil {
		if told := l.named(key, h.Get("X-RateLimit-Bucket")); told != b {
			b.wake()
			b = told
		}
		b.describe(h, l.now())
	}
	b.wake()
}

// named notes what Discord calls a key's bucket, and returns it.
func (l *limiter) named(key, name string) *bucket {
	if name != "" {
		route, _, _ := strings.Cut(key, "/")
		l.names[key], l.names[route] = name, name
	}
	return l.bucket(l.id(key))
}

// wake tells who waits for an answer that one came.
func (b *bucket) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// describe takes over an answer's headers.
func (b *bucket) describe(h http.Header, now time.Time) {
	remaining, err := strconv.Atoi(h.Get("X-RateLimit-Remaining"))
	remaining = max(remaining-b.inFlight, 0)
	if b.known && b.limited && b.reset.After(now) { // answers may overtake each other
		remaining = min(remaining, b.remaining)
	}
	b.known, b.limited = true, err == nil
	if !b.limited {
		return
	}
	b.remaining = remaining
	if after := seconds(h.Get("X-RateLimit-Reset-After")); after > 0 {
		b.reset = now.Add(after)
	}
}

// tooMany takes over a 429. One that is not shared counts as refused.
func (l *limiter) tooMany(key string, after time.Duration, global, shared bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if !shared {
		l.count(key)
	}
	until := now.Add(after)
	if global && until.After(l.pause) {
		l.pause = until
	}
	if b := l.buckets[l.id(key)]; b != nil && !global {
		b.known, b.limited, b.remaining, b.reset = true, true, 0, until
	}
}

// refuse counts a 401 or 403.
func (l *limiter) refuse(key string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count(key)
}

// seconds parses Discord's decimal seconds.
func seconds(s string) time.Duration {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f <= 0 || f > 1e6 {
		return 0
	}
	return time.Duration(f * float64(time.Second))
}
