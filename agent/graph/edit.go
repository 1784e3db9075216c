package graph

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Edit is a change of a thread's state from outside.
type Edit struct {
	Thread string
	Fence  int64   // fencing token of the thread's lease, 0 without a lease
	Writes []Write // the writes
	Local  any     // values for the choice of As's successors: see [State.Local]
	// As is the node that the writes are attributed to, "" for none: then the next nodes stay.
	//
	// If the node is among the next, the writes are the result of its first unfinished task: the node does not run,
	// its questions are withdrawn, its siblings stay. Otherwise the node's successors run next, in place of the
	// present next nodes, even if the turn was over.
	As string
}

// Update writes to a thread's state between two turns or while one waits; the next nodes stay. It returns the
// sequence number of its record. A missing thread is created.
func (r *Runtime) Update(ctx context.Context, p *Plan, thread string, fence int64, writes ...Write) (int64, error) {
	res, err := r.Edit(ctx, p, Edit{Thread: thread, Fence: fence, Writes: writes})
	return res.Seq, err
}

// Edit changes a thread's state as if a node had written it, and returns where
// the thread stands then. It runs nothing: Resume goes on from there.
func (r *Runtime) Edit(ctx context.Context, p *Plan, e Edit) (Result, error) {
	if r.log == nil {
		return Result{}, ErrNoCheckpointer
	}
	leave, err := r.claim(ctx, e.Thread)
	if err != nil {
		return Result{}, err
	}
	defer leave()
	res, err := r.edit(ctx, p, e)
	if errors.Is(err, ErrConflict) {
		res, err = r.edit(ctx, p, e)
	}
	return res, err
}

func (r *Runtime) edit(ctx context.Context, p *Plan, e Edit) (Result, error) {
	h, err := r.load(ctx, p, e.Thread, "", e.Fence)
	if err != nil {
		return Result{}, err
	}
	x := &run{rt: r, plan: p, thread: e.Thread, fence: e.Fence, local: e.Local, head: h}
	if err := x.edit(ctx, e); err != nil {
		return Result{}, err
	}
	r.store(ctx, x)
	return x.result(nil), nil
}

func (x *run) edit(ctx context.Context, e Edit) error {
	h := x.head
	vals := slices.Clone(h.vals)
	if err := x.plan.schema.apply(vals, e.Writes); err != nil {
		return err
	}
	if e.As == "" {
		if err := x.w.updates(e.Writes); err != nil {
			return err
		}
		if err := x.append(ctx, Sync, x.record(RecordUpdate, x.w.done())); err != nil {
			return err
		}
		h.vals = vals
		h.mark(e.Writes)
		return nil
	}
	n, err := x.plan.writer(h, e)
	if err != nil {
		return err
	}
	for i, t := range h.next {
		if p := h.pending[i]; t.node == n.index && (p == nil || !p.done) {
			return x.finish(ctx, i, e.Writes)
		}
	}
	return x.continueAfter(ctx, n, e.Writes, vals)
}

// writer checks that the writes may be attributed to a node on this head.
func (p *Plan) writer(h *head, e Edit) (*planNode, error) {
	i, ok := p.index[e.As]
	if !ok || i <= 0 {
		return nil, fmt.Errorf("graph: edit of thread %q as node %q: graph %q has no such node", e.Thread, e.As, p.name)
	}
	if h.turn == "" {
		return nil, fmt.Errorf("graph: edit of thread %q as node %q: no turn has begun: %w", e.Thread, e.As, ErrNothingToResume)
	}
	if !h.done {
		if err := p.accepts(h); err != nil {
			return nil, err
		}
	}
	if err := p.checkWrites(p.nodes[i], e.Writes); err != nil {
		return nil, fmt.Errorf("graph: edit of thread %q as node %q: %w", e.Thread, e.As, err)
	}
	return p.nodes[i], nil
}

// finish records writes as the result of a task of the unfinished super-step.
func (x *run) finish(ctx context.Context, i int, writes []Write) error {
	x.w.field('t')
	b, err := appendTask(append(x.w.b, '['), i, writes)
	if err != nil {
		return err
	}
	x.w.b = append(b, ']')
	if err := x.append(ctx, Sync, x.record(RecordUpdate, x.w.done())); err != nil {
		return err
	}
	p := x.head.task(i)
	p.done, p.writes = true, slices.Clone(writes)
	return nil
}

// continueAfter makes a node's successors the next nodes.
func (x *run) continueAfter(ctx context.Context, n *planNode, writes []Write, vals []any) error {
	h := x.head
	next, wait, err := x.following(ctx, n, vals)
	if err != nil {
		return err
	}
	if err := x.w.updates(writes); err != nil {
		return err
	}
	if x.w.next(next); len(next) == 0 {
		x.w.field('n')
		x.w.b = append(x.w.b, "[]"...)
	}
	if err := x.w.wait(x.plan, wait); err != nil {
		return err
	}
	base := h.seq + 1
	if err := x.append(ctx, Sync, x.record(RecordUpdate, x.w.done())); err != nil {
		return err
	}
	h.vals = vals
	h.mark(writes)
	h.advance(x.plan.hash, next, wait, base)
	return nil
}

// following returns a node's successors, given the state after it.
func (x *run) following(ctx context.Context, n *planNode, vals []any) ([]target, []uint64, error) {
	wait := make([]uint64, len(x.plan.joins))
	copy(wait, x.head.wait)
	next, err := x.route(ctx, []target{{name: n.name, node: n.index}}, nil, vals, wait)
	return next, wait, err
}
