package rest

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	globalRate   = 45              // requests per second; Discord allows 50
	globalWindow = time.Second     // window of the rate
	globalMost   = 2 * time.Second // how long a request without an answer counts
	globalPoll   = 100 * time.Millisecond
	maxBuckets   = 2048              // in memory
	guardWindow  = 10 * time.Minute  // Discord bans after 10,000 invalid requests in it
	guardLimit   = 80                // refused requests before all requests pause
	guardShare   = 20                // refused requests of one server before its requests pause
	maxShares    = 256               // servers before old refusals are purged
	learnTimeout = 2 * time.Second   // how long to wait for a bucket's first answer
	maxPause     = 120 * time.Second // a longer pause is an error
)

// limiter keeps requests below Discord's rate limits: a bucket per Discord bucket name
// and major parameter, as the response headers describe it, a global rate, and a guard
// against too many refused requests.
//
// A key is "route/major": the route names a method and path, the major parameter is the
// channel, server or token that Discord counts separately. Several routes may share a
// bucket.
type limiter struct {
	now  func() time.Time
	wait func(context.Context, time.Duration) error

	mu      sync.Mutex
	buckets map[string]*bucket // by id
	names   map[string]string  // of a key, and of a route wherever it was asked last: Discord's name of its bucket
	pause   time.Time          // no request at all before it
	queue   int                // urgent requests that wait for the global rate
	slots   []*slot            // those that count towards the global rate
	refused []time.Time
	shares  map[string][]time.Time    // of these, those of one server
	server  func(major string) string // server of a channel; "" if unknown
}

// slot is the right to send one request. Discord counts a request on arrival, between
// its sending and its response, so a slot counts from the sending until one window
// after the response: no window of Discord's exceeds the rate.
type slot struct {
	bucket   *bucket
	sent     time.Time
	ends     time.Time // counts no more from then on
	answered bool
}

func newLimiter(now func() time.Time, wait func(context.Context, time.Duration) error, server func(string) string) *limiter {
	return &limiter{
		now: now, wait: wait, buckets: map[string]*bucket{}, names: map[string]string{},
		shares: map[string][]time.Time{}, server: server,
	}
}

// busyError says how long a request would have to wait.
type busyError struct{ after time.Duration }

func (b busyError) Error() string { return "rate limited for " + b.after.String() }

// id returns the ID of a key's bucket: Discord's name for it, or before the key's first
// response the name that the route had elsewhere.
func (l *limiter) id(key string) string {
	route, major, _ := strings.Cut(key, "/")
	if name := cmp.Or(l.names[key], l.names[route]); name != "" {
		return "=" + name + "/" + major
	}
	return key
}

// patience is how long a call still waits for its own bucket; a nil one does not bound that.
type patience struct{ left time.Duration }

// acquire waits until a request of key may be sent and returns a slot, for release. A
// request that is not urgent does not wait, and takes no room of the global rate from
// urgent ones that do: it gets a busyError. So does one whose patience with its bucket ends.
// Key "" is subject to pauses only and takes no slot.
func (l *limiter) acquire(ctx context.Context, key string, urgent bool, p *patience) (*slot, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.mu.Lock()
		d, own, changed := l.next(key)
		if own && p != nil {
			if d > p.left {
				l.mu.Unlock()
				return nil, busyError{after: d}
			}
			p.left -= d
		}
		if !urgent && key != "" && d <= 0 && changed == nil && l.queue > 0 {
			d = globalWindow
		}
		queued := 0
		if urgent && d > 0 && l.global(l.now()) > 0 {
			queued = 1
		}
		l.queue += queued
		if d <= 0 && changed == nil {
			t := l.reserve(key)
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
		err := l.pauseFor(ctx, d, urgent)
		l.mu.Lock()
		l.queue -= queued
		l.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
}

// learn waits, with a timeout, for a bucket's first response, which describes it.
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

// pauseFor waits for d if the request is urgent and d is within its bounds.
func (l *limiter) pauseFor(ctx context.Context, d time.Duration, urgent bool) error {
	end, bounded := ctx.Deadline()
	if !urgent && d > 50*time.Millisecond || d > maxPause || bounded && end.Before(l.now().Add(d)) {
		return busyError{after: d}
	}
	return l.wait(ctx, d)
}

// next returns how long to wait, own for the key's own bucket, or the channel that signals the response to wait for.
func (l *limiter) next(key string) (d time.Duration, own bool, changed <-chan struct{}) {
	now := l.now()
	if d := l.guard(now, key); d > 0 {
		return d, false, nil
	}
	if d := l.pause.Sub(now); d > 0 {
		return d, false, nil
	}
	if key == "" {
		return 0, false, nil
	}
	if d := l.global(now); d > 0 {
		return d, false, nil
	}
	b := l.buckets[l.id(key)]
	if b != nil && !b.known && b.inFlight > 0 {
		return 0, false, b.changed
	}
	return b.closedFor(now), true, nil
}

// global returns how long to wait for room in the global window.
func (l *limiter) global(now time.Time) time.Duration {
	l.slots = slices.DeleteFunc(l.slots, func(t *slot) bool { return !t.ends.After(now) })
	if len(l.slots) < globalRate {
		return 0
	}
	soonest := globalMost
	for _, t := range l.slots {
		d := t.ends.Sub(now)
		if !t.answered { // assume a response now, and check again
			d = max(t.sent.Add(globalWindow).Sub(now), globalPoll)
		}
		soonest = min(soonest, d)
	}
	return soonest
}

// guard returns how long to pause after too many refused requests, globally or in the
// key's server. One server that refuses everything must not silence the others.
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

// answersInteraction reports whether a request answers an interaction. Such a request has its own token, is rarely
// refused, and people wait for it.
func answersInteraction(key string) bool {
	route, _, _ := strings.Cut(key, "/")
	return route == "" || route == "original" || route == "followup"
}

func (l *limiter) serverOf(key string) string {
	_, major, _ := strings.Cut(key, "/")
	return l.server(major)
}

// count records a refused request.
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

// reserve counts a request.
func (l *limiter) reserve(key string) *slot {
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
	if b.remaining <= 0 { // its window has ended: this request finds the new limit, and all others wait for it
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

// sweep forgets buckets without an effect, then idle ones if the limit is still
// exceeded, and the names of forgotten buckets.
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

// release returns a slot and applies the response headers; h is nil if there are none.
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
		if told := l.nameBucket(key, h.Get("X-RateLimit-Bucket")); told != b {
			b.wake()
			b = told
		}
		b.describe(h, l.now())
	}
	b.wake()
}

// nameBucket records Discord's name for a key's bucket and returns the bucket.
func (l *limiter) nameBucket(key, name string) *bucket {
	if name != "" {
		route, _, _ := strings.Cut(key, "/")
		l.names[key], l.names[route] = name, name
	}
	return l.bucket(l.id(key))
}

// tooMany applies a 429. It counts as refused unless the limit is shared.
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
