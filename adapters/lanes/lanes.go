// Package lanes brings events to whoever takes them: those of one place in order and one
// at a time, places side by side, so that a place that waits holds up no other. It knows
// nothing of platforms, and not what an event or a place is.
package lanes

import (
	"context"
	"sync"
)

// Config bounds lanes. All numbers must be positive.
type Config[E any] struct {
	Depth  int // events that may wait in one place
	Total  int // events that may wait in all places
	AtOnce int // places that are worked on at the same time, without those that are in [Lanes.Aside]

	// Lost, if not nil, makes the event that stands for those that found no room, from the
	// first of them; the place's later ones count as told by it until it is taken.
	Lost func(first E) E
}

// Lanes hold events by place. It is safe for concurrent use.
type Lanes[E any] struct {
	cfg Config[E]

	mu      sync.Mutex
	lanes   map[string]*lane[E] // the places that have something to do
	turn    []string            // of them, those that nobody works on yet, in order
	waiting int                 // events in all queues
	working int                 // places worked on, without those aside
	begin   func(place string)  // starts a worker; nil while nobody takes
	changed chan struct{}       // closed when an event is taken or a place has nothing to do any more
}

type lane[E any] struct {
	queue []E
	lost  *E // the first that found no room
}

// New returns empty lanes. What is pushed waits for [Lanes.Run].
func New[E any](cfg Config[E]) *Lanes[E] {
	return &Lanes[E]{cfg: cfg, lanes: map[string]*lane[E]{}, changed: make(chan struct{})}
}

// Push puts an event behind those of its place and never waits. It reports whether the
// event, or the one that Lost makes of it, will be taken: false means that there is no room.
func (l *Lanes[E]) Push(place string, e E) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, known := l.lanes[place]
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
		l.lanes[place] = n
		l.turn = append(l.turn, place)
		l.next()
	}
	return true
}

// Put is Push that waits for room until ctx ends, and reports whether it found some.
func (l *Lanes[E]) Put(ctx context.Context, place string, e E) bool {
	for {
		changed := l.change() // before the attempt: what changes after it is not missed
		if l.Push(place, e) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-changed:
		}
	}
}

// Run hands events to take until ctx ends, and returns when the last take has. What waits
// then stays. It is called once.
func (l *Lanes[E]) Run(ctx context.Context, take func(context.Context, E)) {
	var workers sync.WaitGroup
	l.mu.Lock()
	l.begin = func(place string) {
		workers.Go(func() {
			for ctx.Err() == nil {
				e, ok := l.pop(place)
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

// Aside is called by take around a wait that may be long: another place is worked on
// meanwhile.
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

// Idle reports whether nothing waits and nothing is being done.
func (l *Lanes[E]) Idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.lanes) == 0
}

// Drain waits until the lanes are idle. Somebody must be in Run.
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

// next lets workers begin with the places whose turn it is. The caller holds mu.
func (l *Lanes[E]) next() {
	for l.begin != nil && len(l.turn) > 0 && l.working < l.cfg.AtOnce {
		place := l.turn[0]
		l.turn = l.turn[1:]
		l.working++
		l.begin(place)
	}
}

// pop returns a place's next event. When there is none, the place is forgotten and the
// caller's work there done.
func (l *Lanes[E]) pop(place string) (e E, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
	n := l.lanes[place]
	switch {
	case len(n.queue) > 0:
		e, n.queue = n.queue[0], n.queue[1:]
		l.waiting--
	case n.lost != nil:
		e, n.lost = l.cfg.Lost(*n.lost), nil
	default:
		delete(l.lanes, place)
		l.working--
		l.next()
		return e, false
	}
	return e, true
}
