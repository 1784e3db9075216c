package rest

import (
	"net/http"
	"strconv"
	"time"
)

// bucket is the known state of one limit.
type bucket struct {
	known     bool // an answer has described it
	limited   bool // it has a limit
	remaining int
	reset     time.Time
	inFlight  int
	changed   chan struct{} // closed after a response
}

// closedFor returns how long a bucket takes no request; a nil one always does.
func (b *bucket) closedFor(now time.Time) time.Duration {
	if b == nil || !b.limited || b.remaining > 0 {
		return 0
	}
	return max(b.reset.Sub(now), 0)
}

// wake notifies those who wait for a response.
func (b *bucket) wake() {
	close(b.changed)
	b.changed = make(chan struct{})
}

// describe applies response headers.
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
