package graph

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// EventKind tells what an [Event] reports.
type EventKind string

// The kinds of events.
const (
	EventTurn      EventKind = "turn"       // a turn began or goes on
	EventNodeStart EventKind = "node_start" // a task starts
	EventNodeEnd   EventKind = "node_end"   // Took, Err: a task ended
	EventRetry     EventKind = "retry"      // Err: an attempt failed, another follows
	EventStep      EventKind = "step"       // Seq: a super-step is committed, or will be if its durability is not Sync; none without a log
	EventInterrupt EventKind = "interrupt"  // Interrupt: a question waits
	EventExpired   EventKind = "expired"    // a question's time is over, the on-expiry edge is taken
	EventCustom    EventKind = "custom"     // Name, Data: sent by a node with Emit
	EventDone      EventKind = "done"       // the turn is over
)

// Event is one thing that happened in a run. Events of tasks that run side by
// side come interleaved; those of one task come in order.
//
// Most events have no detail and all of a run have one source: they are pointers
// because an event is copied for whoever listens.
type Event struct {
	*Source // never nil
	*Detail // never nil
	Kind    EventKind
	Step    int // super-step, 1-based
	Node    string
	Task    int // index of the task in its super-step
	Attempt int // 1-based
	At      time.Time
	Took    time.Duration
	Seq     int64
}

// Detail is what only some events have. It does not change.
type Detail struct {
	Name      string
	Data      any
	Interrupt *Interrupt
	Err       error
}

// noDetail is that of all events without one.
var noDetail = &Detail{}

// Source tells which run an event is of. It does not change.
type Source struct {
	Thread string
	NS     string // of the sub-graph, "" for the top graph
	Graph  string
	Turn   string
}

// Sink takes the events of a run. It is called by the tasks themselves, side
// by side, and must return at once; a reader that may be slow reads from a
// [Stream], which drops rather than waits.
type Sink func(Event)

// Emit sends an event of the node's own to the run's sink. Without a sink or
// outside a node it does nothing.
func Emit(ctx context.Context, name string, data any) {
	t := taskOf(ctx)
	if t == nil || t.run.sink == nil {
		return
	}
	e := t.event(EventCustom)
	e.Detail = &Detail{Name: name, Data: data}
	t.run.sink(e)
}

// Emitting reports whether anybody listens to [Emit].
func Emitting(ctx context.Context) bool {
	t := taskOf(ctx)
	return t != nil && t.run.sink != nil
}

// Stream hands events to a reader without ever waiting for it: what does not
// fit into the buffer is dropped and counted. Its Send is a [Sink].
type Stream struct {
	mu      sync.RWMutex
	closed  bool
	c       chan Event
	dropped atomic.Int64
}

// NewStream returns a Stream with a buffer of n events.
func NewStream(n int) *Stream { return &Stream{c: make(chan Event, n)} }

// Send offers an event to the reader.
func (s *Stream) Send(e Event) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return
	}
	select {
	case s.c <- e:
	default:
		s.dropped.Add(1)
	}
}

// Events returns the channel to read from. It is closed by Close.
func (s *Stream) Events() <-chan Event { return s.c }

// Dropped returns how many events did not fit.
func (s *Stream) Dropped() int64 { return s.dropped.Load() }

// Close ends the stream; the reader still gets what is buffered. It may be
// called twice.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.c)
	}
}

func (x *run) event(kind EventKind) Event {
	x.stamp = x.rt.now()
	return x.eventAt(kind, x.stamp)
}

func (x *run) eventAt(kind EventKind, at time.Time) Event {
	return Event{Source: x.where(), Detail: noDetail, Kind: kind, Step: x.head.step, Seq: x.head.seq, At: at}
}

// where returns the origin of the run's events in its present turn. It is for
// the goroutine that drives the run; tasks keep what it found.
func (x *run) where() *Source {
	if x.origin == nil || x.origin.Turn != x.head.turn {
		x.origin = &Source{Thread: x.thread, NS: x.ns, Graph: x.plan.name, Turn: x.head.turn}
	}
	return x.origin
}

func (t *task) event(kind EventKind) Event { return t.eventAt(kind, t.run.rt.now()) }

func (t *task) eventAt(kind EventKind, at time.Time) Event {
	return Event{Source: t.origin, Detail: noDetail, Kind: kind, Step: t.step, Node: t.node.name, Task: t.index, Attempt: t.attempt, At: at}
}

// started returns when the attempt begins. Between two steps with one task each
// there is nothing but the engine's own work, for which the clock, which costs
// more than the rest of an event, is not asked again.
func (t *task) started() time.Time {
	x := t.run
	if x.inline && t.attempt == 1 && !x.stamp.IsZero() {
		return x.stamp
	}
	return x.rt.now()
}

// ended returns when the attempt is over.
func (t *task) ended() time.Time {
	at := t.run.rt.now()
	if t.run.inline {
		t.run.stamp = at
	}
	return at
}
