// Package lanes queues events by key, such as a channel: in order and one at a time per key, concurrently across keys, so
// that a blocked one delays no other. It knows neither platforms nor the meaning of events and keys.
package lanes

import (
	"context"
	"sync"
)

// Config bounds the queues. All numbers must be positive.
type Config[E any] struct {
	Depth  int // queued events per key
	Total  int // queued events in all
	AtOnce int // keys processed concurrently, without those in [Lanes.Aside]

	// Lost, if not nil, replaces the events that found no room by one event, made from the
	// first of them; it also covers the key's later ones until it is taken.
	Lost func(first E) E
}

// Lanes holds queued events by key. It is safe for concurrent use.
type Lanes[E any] struct {
	cfg Config[E]

	mu      sync.Mutex
	lanes   map[string]*lane[E] // keys with events
	turn    []string            // of them, those without a worker, in order
	waiting int                 // queued events
	working int                 // workers, without those in Aside
	begin   func(key string)    // starts a worker; nil before Run
	changed chan struct{}       // closed when an event is taken or a key becomes idle
}

type lane[E any] struct {
	queue []E
	lost  *E // the first event without room
}

// New returns empty lanes. Events wait for [Lanes.Run].
func New[E any](cfg Config[E]) *Lanes[E] {
	return &Lanes[E]{cfg: cfg, lanes: map[string]*lane[E]{}, changed: make(chan struct{})}
}

// Push queues an event behind those of its key and never blocks. It reports whether the
// event, or the one that Lost makes of it, will be taken: false means no room.
func (l *Lanes[E]) Push(key string, e E) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, known := l.lanes[key]
	if !known {
		n = &lane[E]{}
	}
	room := len(n.queue) < l.cfg.Depth && l.waiting < l.cfg.Total
	switch {
	case n.lost != nil:
		return true
	case room:
		n.queue = append(n.queue, e)
		l.waiting++
	case l.cfg.Lost != nil:
		n.lost = &e
	default:
		return false
	}
	if !known {
		l.lanes[key] = n
		l.turn = append(l.turn, key)
		l.next()
	}
	return true
}

// Put is Push that waits for room until ctx ends; it reports whether it found room.
func (l *Lanes[E]) Put(ctx context.Context, key string, e E) bool {
	for {
		changed := l.change() // before the attempt, so that no later change is missed
		if l.Push(key, e) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

// Run passes events to take until ctx ends, and returns after the last take. Unprocessed
// events stay queued. It is called once.
func (l *Lanes[E]) Run(ctx context.Context, take func(context.Context, E)) {
	var workers sync.WaitGroup
	l.mu.Lock()
	l.begin = func(key string) {
		workers.Go(func() {
			for ctx.Err() == nil {
				e, ok := l.pop(key)
				if !ok {
					return
				}
				take(ctx, e)
			}
		})
	}
	l.next()
	l.mu.Unlock()
	<-ctx.Done()
	l.mu.Lock()
	l.begin = nil
	l.mu.Unlock()
	workers.Wait()
}

// Aside is called by take around a long wait: another key may be processed meanwhile.
func (l *Lanes[E]) Aside(wait func()) {
	l.mu.Lock()
	l.working--
	l.next()
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		l.working++
		l.mu.Unlock()
	}()
	wait()
}

// Idle reports whether nothing is queued or in progress.
func (l *Lanes[E]) Idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lanes) == 0
}

// Drain waits until the lanes are idle. Run must be running.
func (l *Lanes[E]) Drain() {
	for {
		changed := l.change()
		if l.Idle() {
			return
		}
		<-changed
	}
}

func (l *Lanes[E]) change() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// next starts workers for the next keys. The caller holds mu.
func (l *Lanes[E]) next() {
	for l.begin != nil && len(l.turn) > 0 && l.working < l.cfg.AtOnce {
		key := l.turn[0]
		l.turn = l.turn[1:]
		l.working++
		l.begin(key)
	}
}

// pop returns a key's next event. Without one, the key is removed and its worker ends.
func (l *Lanes[E]) pop(key string) (e E, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
	n := l.lanes[key]
	switch {
	case len(n.queue) > 0:
		e, n.queue = n.queue[0], n.queue[1:]
		l.waiting--
	case n.lost != nil:
		e, n.lost = l.cfg.Lost(*n.lost), nil
	default:
		delete(l.lanes, key)
		l.working--
		l.next()
		return e, false
	}
	return e, true
}
