package agent

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"maru/agent/limit"
)

// ErrUnknownAgent says that no agent of that name is installed.
var ErrUnknownAgent = errors.New("agent: unknown agent")

// ErrPanic says that a run panicked; the process lives on.
var ErrPanic = errors.New("agent: the run panicked")

// MaxTrace bounds the events that a trace keeps; the first and the last stay.
const MaxTrace = 1000

// Runner starts and resumes runs of the installed agents. It is safe for
// concurrent use.
type Runner struct {
	agents  map[string]Agent
	rosters []Roster
	price   func(Usage) float64
	limit   time.Duration
	now     func() time.Time
	log     *slog.Logger
}

// NewRunner returns a Runner for these agents. limit bounds one Run call, whose last part is for
// reporting, see [Working]; 0 means no limit. now stamps events without a time.
func NewRunner(log *slog.Logger, limit time.Duration, now func() time.Time, agents ...Agent) *Runner {
	r := &Runner{agents: make(map[string]Agent, len(agents)), limit: limit, now: now, log: log}
	for _, a := range agents {
		r.agents[a.Name()] = a
	}
	return r
}

// Run runs the request's agent until it has answered, waits or fails, and
// returns the trace of this call with the result. Events go to sink (which may
// be nil) as well. A panic of the agent becomes ErrPanic with the stack in the
// log.
func (r *Runner) Run(ctx context.Context, req Request, sink Sink) (res Result, tr Trace, err error) {
	a, ok := r.lookup(req.Agent)
	if !ok {
		return Result{}, Trace{}, fmt.Errorf("%w: %q", ErrUnknownAgent, req.Agent)
	}
	if r.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = limit.With(ctx, r.limit)
		defer cancel()
		req.Until = workEnd(time.Now(), r.limit)
	}
	req.Price = r.price
	t := &tracer{run: req.Run, sink: sink, now: r.now, price: r.price}
	defer func() {
		if p := recover(); p != nil {
			r.log.ErrorContext(ctx, "agent panicked", "run", req.Run, "agent", req.Agent,
				"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			res, err = Result{}, ErrPanic
		}
		tr = t.done()
	}()
	res, err = a.Run(ctx, req, t.event)
	return res, tr, err
}

// Amender is implemented by agents whose threads remember messages.
type Amender interface {
	// Amend makes a thread forget a message (deleted) or know its new text, in
	// the window and in everything that will be shown to a model from now on.
	Amend(ctx context.Context, thread, message, text string, deleted bool) error
	// Forget makes a thread forget everything.
	Forget(ctx context.Context, thread string) error
}

// Amend passes a change of a message to every agent that remembers messages.
func (r *Runner) Amend(ctx context.Context, thread, message, text string, deleted bool) error {
	return r.each(func(a Amender) error { return a.Amend(ctx, thread, message, text, deleted) })
}

// Forget makes every agent forget a thread.
func (r *Runner) Forget(ctx context.Context, thread string) error {
	return r.each(func(a Amender) error { return a.Forget(ctx, thread) })
}

// Keeper is implemented by agents whose threads have logs that grow.
type Keeper interface {
	// Retain shortens a thread's logs to what the agent still needs of them. A
	// run that waits or was broken off loses nothing.
	Retain(ctx context.Context, thread string) error
}

// Retain shortens the logs that every agent keeps of a thread.
func (r *Runner) Retain(ctx context.Context, thread string) error {
	var errs []error
	for _, n := range r.All() {
		one, _ := r.lookup(n)
		if k, ok := one.(Keeper); ok {
			errs = append(errs, k.Retain(ctx, thread))
		}
	}
	return errors.Join(errs...)
}

func (r *Runner) each(fn func(Amender) error) error {
	var errs []error
	for _, n := range r.All() {
		one, _ := r.lookup(n)
		if a, ok := one.(Amender); ok {
			errs = append(errs, fn(a))
		}
	}
	return errors.Join(errs...)
}

// Trace is what one Run call did: its events without the tokens, and what its
// model calls cost.
type Trace struct {
	Events  []Event
	Dropped int // events beyond MaxTrace
	Usage   Usage
	Parts   []Part // of Usage
}

// tracer collects a run's events on their way to the sink.
type tracer struct {
	run   string
	sink  Sink
	now   func() time.Time
	price func(Usage) float64 // nil: nobody knows

	mu     sync.Mutex
	trace  Trace
	closed bool
}

func (t *tracer) event(e Event) {
	e.Run = t.run
	if e.At.IsZero() {
		e.At = t.now()
	}
	if e.Usage != nil && e.Kind == EventModelCall && t.price != nil {
		priced := *e.Usage
		priced.Cost = t.price(priced)
		e.Usage = &priced
	}
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return
	}
	if e.Usage != nil && e.Kind == EventModelCall {
		t.trace.Usage.Add(*e.Usage)
		t.trace.Parts = AddPart(t.trace.Parts, Part{Purpose: e.Name, Usage: *e.Usage})
		if e.Usage.Host != "" { // which is nothing for whoever reads the trace
			anywhere := *e.Usage
			anywhere.Host = ""
			e.Usage = &anywhere
		}
	}
	if e.Kind != EventToken {
		traced := e
		traced.Files = nil // a trace holds no bytes of files
		if t.trace.Events == nil {
			t.trace.Events = make([]Event, 0, 16) // as many as an answer has
		}
		if len(t.trace.Events) < MaxTrace {
			t.trace.Events = append(t.trace.Events, traced)
		} else {
			t.trace.Events[MaxTrace-1] = traced
			t.trace.Dropped++
		}
	}
	t.mu.Unlock()
	if t.sink != nil {
		t.sink(e)
	}
}

func (t *tracer) done() Trace {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return t.trace
}
