package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Config wires a [Runtime].
type Config struct {
	Checkpointer Checkpointer // the log of threads; nil: runs are kept nowhere and cannot wait
	Hot          Hot          // shared copy of the newest states; may be nil
	Cache        int          // threads kept in this process; 0 means 1024, negative none
	// Check is asked about every answer before it is recorded, for instance
	// against the question's schema; may be nil. Its error refuses the answer.
	Check func(Interrupt, Answer) error
	Now   func() time.Time // nil means time.Now
	Log   *slog.Logger     // for non-fatal faults; nil discards
	// DetectMutation makes it an error of a node to change the state that it
	// reads. It costs O(state) a node: for tests.
	DetectMutation bool
}

// Runtime runs plans on threads. It is safe for concurrent use; runs of
// different threads go side by side.
type Runtime struct {
	log    Checkpointer
	shared Hot
	check  func(Interrupt, Answer) error
	now    func() time.Time
	since  func(time.Time) time.Duration // by now, or by the process's clock, which costs half
	slog   *slog.Logger
	detect bool
	cache  *cache
	types  sync.Map // reflect.Type → error or nil: results that JSON can keep

	mu   sync.Mutex
	busy map[string]<-chan struct{} // by thread: closed at the end of a Retain, nil for anything else
}

// NewRuntime returns a Runtime. It starts nothing and needs no closing.
func NewRuntime(c Config) *Runtime {
	since := time.Since
	if c.Now == nil {
		c.Now = time.Now
	} else {
		now := c.Now
		since = func(t time.Time) time.Duration { return now().Sub(t) }
	}
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.Cache = cmp.Or(c.Cache, 1024)
	return &Runtime{
		log: c.Checkpointer, shared: c.Hot, check: c.Check, now: c.Now, since: since, slog: c.Log,
		detect: c.DetectMutation, cache: newCache(c.Cache), busy: map[string]<-chan struct{}{},
	}
}

// Call asks for one turn on a thread, or for going on with it.
type Call struct {
	Thread  string   // key of the conversation
	Turn    string   // id of the turn, the same when it is asked for again
	Input   []Write  // input of a new turn; ignored when resuming one
	Answers []Answer // to interrupts of this turn
	Fence   int64    // fencing token of the thread's lease, 0 without a lease
	Abandon bool     // give up another turn that waits or was broken off
	Anew    bool     // restart the turn if it started under another plan and has no open question
	Sink    Sink     // takes events; may be nil
	Local   any      // values for the nodes of this call: see [State.Local]
}

// Result is the position of a run when it returns.
type Result struct {
	Turn       string
	State      State       // after the last committed super-step
	Seq        int64       // of the newest record
	Done       bool        // the turn is over
	Interrupts []Interrupt // the questions that wait
	Outcomes   []Outcome   // of the answers, in their order
	Steps      int         // super-steps of the turn so far
	Plan       string      // hash of the plan that wrote the next nodes
}

// Run runs a turn until it is over, waits for answers or fails.
//
// If the thread's newest turn is this one, it resumes from its last record: the input is not applied again, answers
// are recorded, finished tasks do not run again; if it is over, Run returns its recorded state and runs nothing.
// Otherwise a new turn starts on the thread. Run returns [ErrUnfinished] if another turn waits or was interrupted and
// Abandon is not set. A thread remembers its last 16 turns and returns [ErrTurnPassed] for them; a caller that may be
// further behind needs the thread's lease.
//
// A turn interrupted under another plan returns [ErrPlanChanged], or restarts with the input if Anew is set: for
// turns that only think and read, and that find their own writes to the thread's state channels by key. A turn that
// waits for people never restarts, since they were asked about its work.
//
// After an error all committed work is kept and the same call resumes from there. Result then holds the last
// committed state.
func (r *Runtime) Run(ctx context.Context, p *Plan, c Call) (Result, error) {
	if c.Thread == "" || c.Turn == "" {
		return Result{}, errors.New("graph: a run needs a thread and a turn")
	}
	return r.run(ctx, p, c)
}

// Resume goes on with the newest turn of a thread: after a crash, or with
// answers. It returns [ErrNothingToResume] if there is none that could go on
// and no answer that was already given.
func (r *Runtime) Resume(ctx context.Context, p *Plan, c Call) (Result, error) {
	if c.Thread == "" {
		return Result{}, errors.New("graph: a resume needs a thread")
	}
	if r.log == nil {
		return Result{}, ErrNoCheckpointer
	}
	c.Turn, c.Input, c.Abandon = "", nil, false
	return r.run(ctx, p, c)
}

func (r *Runtime) run(ctx context.Context, p *Plan, c Call) (Result, error) {
	leave, err := r.claim(ctx, c.Thread)
	if err != nil {
		return Result{}, err
	}
	defer leave()
	res, x, err := r.try(ctx, p, "", c)
	if errors.Is(err, ErrConflict) && x != nil && !x.ran {
		// The copy in this process was old: nothing ran, so look again.
		res, _, err = r.try(ctx, p, "", c)
	}
	return res, err
}

// claim excludes a second run of the thread in this process; between processes the sequence number does. It waits for
// a Retain, which is short and invisible to callers; anything else is ErrBusy.
func (r *Runtime) claim(ctx context.Context, thread string) (leave func(), err error) {
	for {
		r.mu.Lock()
		retained, taken := r.busy[thread]
		if !taken {
			r.busy[thread] = nil
			r.mu.Unlock()
			return func() { r.unclaim(thread) }, nil
		}
		r.mu.Unlock()
		if retained == nil {
			return nil, ErrBusy
		}
		select {
		case <-retained:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// claimRetain is claim for a Retain: others wait for it.
func (r *Runtime) claimRetain(thread string) (leave func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.busy[thread]; taken {
		return nil, ErrBusy
	}
	over := make(chan struct{})
	r.busy[thread] = over
	return func() {
		r.unclaim(thread)
		close(over)
	}, nil
}

func (r *Runtime) unclaim(thread string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.busy, thread)
}

// try makes one attempt on a freshly taken head.
func (r *Runtime) try(ctx context.Context, p *Plan, ns string, c Call) (Result, *run, error) {
	h, err := r.load(ctx, p, c.Thread, ns, c.Fence)
	if err != nil {
		return Result{}, nil, err
	}
	x := &run{rt: r, plan: p, thread: c.Thread, ns: ns, fence: c.Fence, sink: c.Sink, local: c.Local, head: h}
	outcomes, err := x.guarded(ctx, c)
	if ferr := x.settled(ctx); ferr != nil && !errors.Is(err, ferr) {
		err = errors.Join(err, ferr)
	}
	if x.broken != nil {
		return Result{Turn: h.turn, Outcomes: outcomes}, x, err
	}
	res := x.result(outcomes)
	r.store(ctx, x)
	return res, x, err
}

// result describes the head. Its slices are not shared with the next run.
func (x *run) result(outcomes []Outcome) Result {
	h := x.head
	return Result{
		Turn: h.turn, State: State{x.plan.schema, h.vals, nil, x.local}, Seq: h.seq, Done: h.done && h.turn != "",
		Interrupts: h.interrupts(), Outcomes: outcomes, Steps: h.step, Plan: h.plan,
	}
}

// guarded is turn without panics: of a sink, or of a function of the plan that runs between nodes. What is in memory
// then cannot be trusted; the log can.
func (x *run) guarded(ctx context.Context, c Call) (outcomes []Outcome, err error) {
	defer func() {
		if p := recover(); p != nil {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.broken = fmt.Errorf("graph: thread %q: %w", x.thread, &PanicError{p, debug.Stack()})
			err = x.broken
		}
	}()
	return x.turn(ctx, c)
}

// turn decides between resume, replay and a new turn, and runs it.
func (x *run) turn(ctx context.Context, c Call) ([]Outcome, error) {
	h := x.head
	var outcomes []Outcome
	switch {
	case c.Anew && c.Turn == h.turn && x.outdated(c):
		if err := x.begin(ctx, c.Turn, c.Input); err != nil {
			return nil, err
		}
	case c.Turn == "" || c.Turn == h.turn:
		var err error
		if outcomes, err = x.goOn(ctx, c); err != nil {
			return outcomes, err
		}
	case slices.Contains(h.turns, c.Turn):
		return nil, ErrTurnPassed
	case !h.done && !c.Abandon:
		return nil, &UnfinishedError{h.turn, h.interrupts()}
	default:
		if len(c.Answers) > 0 {
			return nil, ErrStaleInterrupt
		}
		if err := x.begin(ctx, c.Turn, c.Input); err != nil {
			return nil, err
		}
	}
	if x.sink != nil {
		x.origin = &Source{Thread: x.thread, NS: x.ns, Graph: x.plan.name, Turn: h.turn, Began: x.rt.now()}
		x.tell(EventTurn)
	}
	err := x.loop(ctx)
	if err == nil && h.done && x.sink != nil {
		x.tell(EventDone)
	}
	return outcomes, err
}

// goOn prepares a turn that was begun before.
func (x *run) goOn(ctx context.Context, c Call) ([]Outcome, error) {
	h := x.head
	if h.turn == "" {
		return nil, ErrNothingToResume
	}
	if !h.done {
		if err := x.plan.accepts(h); err != nil {
			return nil, err
		}
	}
	outcomes, err := x.take(ctx, c.Answers)
	if err != nil {
		return nil, err
	}
	if c.Turn == "" && h.done && len(outcomes) == 0 {
		return nil, ErrNothingToResume
	}
	return outcomes, nil
}

// outdated reports whether the turn cannot continue under this plan, and has neither open nor answered questions.
func (x *run) outdated(c Call) bool {
	return !x.head.done && len(x.head.interrupts()) == 0 && len(c.Answers) == 0 && x.plan.accepts(x.head) != nil
}

// accepts checks that an unfinished turn may go on under this plan.
func (p *Plan) accepts(h *head) error {
	missing := slices.Clone(h.missing)
	for _, t := range h.next {
		if t.node == unknownNode && !slices.Contains(missing, t.name) {
			missing = append(missing, t.name)
		}
	}
	if len(missing) > 0 || (h.plan != p.hash && !slices.Contains(p.options.Accept, h.plan)) {
		return &PlanError{Was: h.plan, Now: p.hash, Missing: missing}
	}
	return nil
}

func (r *Runtime) keepable(t reflect.Type) error {
	if v, ok := r.types.Load(t); ok {
		err, _ := v.(error)
		return err
	}
	err := keepable(t, map[reflect.Type]bool{})
	r.types.Store(t, err)
	return err
}
