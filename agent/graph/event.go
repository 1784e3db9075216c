package graph

import "time"

// EventKind is the kind of an [Event].
type EventKind uint8

// The kinds of events.
const (
	EventTurn      EventKind = iota + 1 // a turn began or goes on
	EventNodeStart                      // a task starts
	EventNodeEnd                        // Took, Err, Waits: a task ended
	EventRetry                          // Err: an attempt failed, another follows
	EventStep                           // Seq: a super-step is committed, or will be if its durability is not Sync; none without a log
	EventInterrupt                      // Interrupt: a question waits
	EventExpired                        // a question's time is over, the on-expiry edge is taken
	EventDone                           // the turn is over
)

// String returns the kind's name, such as "node_start".
func (k EventKind) String() string {
	names := [...]string{"", "turn", "node_start", "node_end", "retry", "step", "interrupt", "expired", "done"}
	if int(k) >= len(names) {
		return ""
	}
	return names[k]
}

// Event is one thing that happened in a run. Events of tasks that run side by
// side come interleaved; those of one task come in order.
//
// Telling must not show between steps that take less than a microsecond: so most
// events have no detail, all of a run share one source, the numbers are small,
// and a [Sink] is shown the run's own copy.
type Event struct {
	*Source // never nil
	*Detail // never nil
	Node    string
	Since   time.Duration // from Source.Began
	Took    time.Duration
	Seq     int64
	Step    int32 // super-step, 1-based
	Task    int32 // index of the task in its super-step
	Attempt int16 // 1-based
	Kind    EventKind
}

// At returns when it happened.
func (e Event) At() time.Time { return e.Began.Add(e.Since) }

// Detail holds the fields of some kinds of events. It is immutable.
type Detail struct {
	Interrupt *Interrupt
	Err       error
	Waits     bool // of a task that ended: it asks and will run again
}

// noDetail is that of all events without one.
var noDetail = &Detail{}

// waitsDetail is that of all tasks that ended because they ask.
var waitsDetail = &Detail{Waits: true}

// Source tells which run an event is of. It does not change.
type Source struct {
	Thread string
	NS     string // of the sub-graph, "" for the top graph
	Graph  string
	Turn   string
	Began  time.Time // when this call took the turn up
}

// Sink takes the events of a run. It is called by the tasks themselves, side
// by side, and must return at once; a reader that may be slow reads from a
// [Hub]. The event is the run's: it changes as soon as the sink has returned.
type Sink func(*Event)

// tell sends an event of the run. It is for the goroutine that drives it.
func (x *run) tell(kind EventKind) {
	x.stamp = x.rt.since(x.origin.Began)
	x.told = Event{Source: x.origin, Detail: noDetail, Kind: kind, Step: int32(x.head.step), Seq: x.head.seq, Since: x.stamp}
	x.sink(&x.told)
}

// began tells that an attempt starts. Between two steps with one task each there
// is nothing but the engine's own work, for which the clock, which costs more
// than the rest of an event, is not asked again.
func (t *task) began() {
	x := t.run
	if t.told == nil {
		t.told = &x.told
		if !x.inline {
			t.told = &Event{}
		}
	}
	e := t.told
	e.Source, e.Detail, e.Node, e.Kind = x.origin, noDetail, t.node.name, EventNodeStart
	e.Step, e.Task, e.Attempt, e.Seq, e.Took = int32(t.step), int32(t.index), int16(t.attempt), 0, 0
	if e.Since = x.stamp; !x.inline || t.attempt > 1 || e.Since == 0 {
		e.Since = x.rt.since(e.Began)
	}
	t.start = e.Since
	x.sink(e)
}

// ended tells that the attempt is over.
func (t *task) ended(out outcome) {
	x, e := t.run, t.told
	e.Kind, e.Since = EventNodeEnd, x.rt.since(x.origin.Began)
	e.Took = e.Since - t.start
	switch {
	case out.err != nil:
		e.Detail = &Detail{Err: out.err}
	case len(out.asks) > 0:
		e.Detail = waitsDetail
	}
	if x.inline {
		x.stamp = e.Since
	}
	x.sink(e)
}

// fails tells that the attempt failed and another follows.
func (t *task) fails(err error) {
	e := t.told
	e.Kind, e.Since, e.Took, e.Detail = EventRetry, t.run.rt.since(e.Began), 0, &Detail{Err: err}
	t.run.sink(e)
}
