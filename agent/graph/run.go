package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// run is one Run call on one thread and namespace.
type run struct {
	rt     *Runtime
	plan   *Plan
	thread string
	ns     string
	fence  int64
	sink   Sink
	local  any // values for its nodes

	mu     sync.Mutex // guards head.seq, head.pending, buffer, broken and timer while tasks run
	head   *head
	buffer []Record // not yet committed
	broken error    // the log refused: nothing in memory can be trusted
	timer  *time.Timer

	commits sync.Mutex // held while records are on their way, so that they stay in order
	spare   []Record   // the buffer of the last commit, used again
	late    sync.WaitGroup

	origin *Source       // of its events; nil without a sink
	stamp  time.Duration // of the newest event, while only engine work followed it; 0 if that is not known
	told   Event         // the newest, for the sink to read
	inline bool          // the super-step has one task, which runs on this goroutine

	steps int  // super-steps of this call
	ran   bool // a node ran in this call

	w    bodyWriter // of the coordinating goroutine only
	outs []outcome
	todo []int
	mark []bool
	bufs [2][]target
	flip int
}

// record begins a record of the current turn; append fills its Seq.
func (x *run) record(kind RecordKind, body json.RawMessage) Record {
	return Record{
		Thread: x.thread, NS: x.ns, Kind: kind, Step: x.head.step, Turn: x.head.turn,
		Plan: x.plan.hash, At: x.rt.now(), Body: body,
	}
}

// begin starts a new turn with its input.
func (x *run) begin(ctx context.Context, turn string, input []Write) error {
	h := x.head
	for _, w := range input {
		if w.ch == nil || w.ch.schema != x.plan.schema {
			return fmt.Errorf("graph: input for channel %q of another schema", w.Channel())
		}
	}
	nh := *h
	nh.begin(x.plan, turn)
	if err := x.plan.schema.apply(nh.vals, input); err != nil {
		return err
	}
	start := [1]target{{name: Start, node: 0}}
	wait := make([]uint64, len(x.plan.joins))
	next, err := x.route(ctx, start[:], nil, nh.vals, wait)
	if err != nil {
		return err
	}
	x.w.b, x.w.any = x.w.b[:0], false
	if x.rt.log != nil {
		if err := x.w.updates(input); err != nil {
			return err
		}
		x.w.next(next)
		if err := x.w.wait(x.plan, wait); err != nil {
			return err
		}
	}
	r := x.record(RecordInput, x.w.done())
	r.Turn, r.Step = turn, 0
	base := h.seq + 1
	if err := x.append(ctx, x.plan.options.Durability, r); err != nil {
		return err
	}
	h.markReset(x.plan)
	h.mark(input)
	h.turn, h.turns, h.step, h.vals = nh.turn, nh.turns, 0, nh.vals
	h.advance(x.plan.hash, next, wait, base)
	return nil
}

// loop runs super-steps until the turn is over, waits or fails.
func (x *run) loop(ctx context.Context) error {
	for !x.head.done {
		if ctx.Err() != nil {
			return fmt.Errorf("graph: turn %q stopped before step %d: %w", x.head.turn, x.head.step+1, context.Cause(ctx))
		}
		todo := x.ready()
		if len(todo) == 0 && len(x.head.interrupts()) > 0 {
			return nil
		}
		if len(todo) > 0 && x.steps >= x.plan.options.MaxSteps {
			return &StepLimitError{x.plan.options.MaxSteps, x.head.names()}
		}
		waits, err := x.step(ctx, todo)
		if err != nil || waits {
			return err
		}
	}
	return nil
}

func (h *head) names() []string {
	var out []string
	for _, t := range h.next {
		if !slices.Contains(out, t.name) {
			out = append(out, t.name)
		}
	}
	return out
}

// ready returns the tasks that can run now.
func (x *run) ready() []int {
	h := x.head
	x.todo = slices.Grow(x.todo[:0], len(h.next))
	for i, t := range h.next {
		if p := h.pending[i]; p != nil {
			nested := x.plan.nodes[t.node].child != nil
			if p.done || (p.open() > 0 && !(nested && p.fresh) && !p.expired(x.plan.nodes[t.node])) {
				continue
			}
			p.fresh = false
		}
		x.todo = append(x.todo, i)
	}
	return x.todo
}

// step runs the tasks of a super-step and commits their work. waits reports open questions.
func (x *run) step(ctx context.Context, todo []int) (waits bool, err error) {
	x.outs = slices.Grow(x.outs[:0], len(x.head.next))[:len(x.head.next)]
	clear(x.outs)
	x.ran = x.ran || len(todo) > 0
	x.inline = len(todo) == 1
	if x.inline {
		x.outs[todo[0]] = x.exec(ctx, todo[0], &task{})
	} else if len(todo) > 1 {
		x.stamp = 0 // tasks side by side each ask the clock
		if err := x.fan(ctx, todo); err != nil {
			return false, err
		}
	}
	if err := x.refused(); err != nil {
		return false, err
	}
	complete, failure := x.settle()
	if complete {
		x.steps++
		return false, x.commit(ctx)
	}
	if err := x.keep(ctx, todo); err != nil {
		return false, err
	}
	x.tellAsks()
	return failure == nil, failure
}

// commit ends the super-step: it applies the updates in the order of the tasks, computes the next nodes and appends
// the record. Only then the head moves.
func (x *run) commit(ctx context.Context) error {
	h := x.head
	vals := slices.Clone(h.vals)
	if err := x.applyAll(vals); err != nil {
		return err
	}
	var wait []uint64
	if len(h.wait) > 0 {
		wait = slices.Clone(h.wait)
	}
	next, err := x.route(ctx, h.next, h.pending, vals, wait)
	if err != nil {
		return err
	}
	base := h.seq + 1
	if err := x.appendStep(ctx, vals, next, wait); err != nil {
		return err
	}
	if h.dirty != nil {
		for i := range h.next {
			h.mark(x.writes(i))
		}
	}
	h.vals = vals
	h.step++
	h.advance(x.plan.hash, next, wait, base)
	if x.sink != nil && x.rt.log != nil {
		x.tell(EventStep)
	}
	return nil
}

func (x *run) writes(i int) []Write {
	if x.outs[i].done {
		return x.outs[i].writes
	}
	return x.head.pending[i].writes
}

// applyAll applies the writes of all tasks in order, and refuses two writers
// of a channel without a reducer.
func (x *run) applyAll(vals []any) (err error) {
	at := 0
	defer func() {
		if p := recover(); p != nil {
			err = x.failed(at, &PanicError{p, debug.Stack()})
		}
	}()
	var writer []int
	if len(x.head.next) > 1 {
		writer = make([]int, len(vals))
	}
	for i := range x.head.next {
		at = i
		writes := x.writes(i)
		for _, w := range writes {
			if writer == nil || w.ch.kind != kindLast {
				continue
			}
			if by := writer[w.ch.index]; by != 0 && by != i+1 {
				return x.failed(i, fmt.Errorf("%w: %q, also written by %s",
					ErrParallelWrite, w.ch.name, x.head.next[by-1].name))
			}
			writer[w.ch.index] = i + 1
		}
		if err := x.plan.schema.apply(vals, writes); err != nil {
			return x.failed(i, err)
		}
	}
	return nil
}

func (x *run) failed(i int, err error) error {
	return &NodeError{Node: x.head.next[i].name, Step: x.head.step + 1, Attempt: 1, Err: err, Arg: x.head.next[i].arg}
}

// appendStep appends the record of a super-step, and a snapshot when the
// records since the last one outweigh it.
func (x *run) appendStep(ctx context.Context, vals []any, next []target, wait []uint64) error {
	h := x.head
	if x.rt.log == nil {
		h.seq++
		return nil
	}
	body, err := x.stepBody(next, wait)
	if err != nil {
		return err
	}
	r := x.record(RecordStep, body)
	r.Step = h.step + 1
	if h.delta+len(body) <= snapshotSlack+h.snap {
		return x.append(ctx, x.durability(nil), r)
	}
	nh := head{vals: vals, next: next, wait: wait, base: h.seq + 1, turns: h.turns, recent: h.recent}
	whole, err := x.plan.snapshot(&x.w, &nh)
	if err != nil {
		return err
	}
	s := x.record(RecordSnapshot, whole)
	s.Step = r.Step
	return x.append(ctx, x.durability(nil), r, s)
}

// snapshotSlack is how much records may outweigh the last snapshot.
const snapshotSlack = 4096

func (x *run) stepBody(next []target, wait []uint64) (json.RawMessage, error) {
	x.w.b, x.w.any = x.w.b[:0], false
	first := true
	for i := range x.head.next {
		if !x.outs[i].done || x.outs[i].kept {
			continue
		}
		if first {
			x.w.field('t')
			x.w.b = append(x.w.b, '[')
		} else {
			x.w.b = append(x.w.b, ',')
		}
		first = false
		b, err := appendTask(x.w.b, i, x.outs[i].writes)
		if err != nil {
			return nil, x.failed(i, err)
		}
		x.w.b = b
	}
	if !first {
		x.w.b = append(x.w.b, ']')
	}
	x.w.next(next)
	if err := x.w.wait(x.plan, wait); err != nil {
		return nil, err
	}
	return x.w.done(), nil
}
