package graph

import (
	"context"
	"sync"
)

// Hub broadcasts events to any number of readers. It keeps the newest once, for all: Send costs the same for no
// reader, ten, or a stuck one. A reader that falls behind by more than the Hub keeps loses the oldest and gets their
// number. The Send of a Hub of [Event] is a [Sink]; other event types use a Hub of their own.
type Hub[E any] struct {
	mu     sync.Mutex
	ring   []E           // its length is a power of two
	sent   uint64        // events so far; the next goes to sent modulo the ring's length
	wake   chan struct{} // closed on a new event; nil without waiting readers
	closed bool
}

// NewHub returns a Hub that keeps at least the newest n events, and 64.
func NewHub[E any](n int) *Hub[E] {
	size := 64
	for size < n {
		size *= 2
	}
	return &Hub[E]{ring: make([]E, size)}
}

func (h *Hub[E]) slot(n uint64) *E { return &h.ring[n&uint64(len(h.ring)-1)] }

// Send adds a copy of an event. It never waits for a reader.
func (h *Hub[E]) Send(e *E) {
	h.mu.Lock()
	if !h.closed {
		*h.slot(h.sent) = *e
		h.sent++
		h.rouse()
	}
	h.mu.Unlock()
}

// rouse wakes the readers that wait. The caller holds mu.
func (h *Hub[E]) rouse() {
	if h.wake != nil {
		close(h.wake)
		h.wake = nil
	}
}

// Close ends the Hub: readers still get its remaining events. It is idempotent.
func (h *Hub[E]) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	h.rouse()
}

// Reader reads the events that are sent to a [Hub] after it was made. It is
// for one goroutine and needs no closing.
type Reader[E any] struct {
	hub  *Hub[E]
	at   uint64
	lost uint64
}

// Reader returns a new reader.
func (h *Hub[E]) Reader() *Reader[E] {
	h.mu.Lock()
	defer h.mu.Unlock()
	return &Reader[E]{hub: h, at: h.sent}
}

// Next appends the events that came since the last call to dst, waiting for
// the first of them. more is false when the Hub is closed and everything was
// read; err is that of ctx.
func (r *Reader[E]) Next(ctx context.Context, dst []E) (events []E, more bool, err error) {
	h := r.hub
	for {
		h.mu.Lock()
		if kept := uint64(len(h.ring)); h.sent > r.at+kept {
			r.lost += h.sent - kept - r.at
			r.at = h.sent - kept
		}
		if r.at < h.sent {
			for ; r.at < h.sent; r.at++ {
				dst = append(dst, *h.slot(r.at))
			}
			h.mu.Unlock()
			return dst, true, nil
		}
		if h.closed {
			h.mu.Unlock()
			return dst, false, nil
		}
		if h.wake == nil {
			h.wake = make(chan struct{})
		}
		wake := h.wake
		h.mu.Unlock()
		select {
		case <-wake:
		case <-ctx.Done():
			return dst, true, ctx.Err()
		}
	}
}

// Lost returns how many events the reader came too late for.
func (r *Reader[E]) Lost() uint64 { return r.lost }
