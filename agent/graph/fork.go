package graph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
)

// Origin is the record at which a history branched off.
type Origin struct {
	Thread string `json:"thread"`
	Seq    int64  `json:"seq"`
}

// Fork is the branch point of a history.
type Fork struct {
	Thread string // thread of the history
	Seq    int64  // the record to go back to; within a super-step: to its beginning
	To     string // a new thread for the branch; "" lets the thread itself go back
	Turn   string // id under which the turn goes on; "" keeps the one it had
	Fence  int64  // fencing token of the lease on the thread that gets the branch
	// Writes change the state at the branch. They are unrestricted: a node's declared writes bind only the node.
	Writes []Write
	// As is the node after which the branch continues, as in [Edit]; "" for the next nodes at that time.
	As    string
	Local any // values for the choice of As's successors: see [State.Local]
}

// Fork branches from an earlier record of a thread, on the thread itself or on a new one, and returns its position.
// It runs nothing: Resume runs the next nodes of that time ("redo from step 3"). The branch's tasks are new visits:
// effects run and questions are asked again. The history is unchanged; the branch is one more record in it, a
// snapshot with its [Origin].
func (r *Runtime) Fork(ctx context.Context, p *Plan, f Fork) (Result, error) {
	f.To = cmp.Or(f.To, f.Thread)
	if r.log == nil {
		return Result{}, ErrNoCheckpointer
	}
	leave, err := r.claim(ctx, f.To)
	if err != nil {
		return Result{}, err
	}
	defer leave()
	res, err := r.fork(ctx, p, f)
	if errors.Is(err, ErrConflict) && f.To == f.Thread {
		res, err = r.fork(ctx, p, f)
	}
	return res, err
}

func (r *Runtime) fork(ctx context.Context, p *Plan, f Fork) (Result, error) {
	then, err := r.headAt(ctx, p, f.Thread, f.Seq)
	if err != nil {
		return Result{}, err
	}
	if !then.done {
		if err := p.accepts(then); err != nil {
			return Result{}, err
		}
	}
	now, err := r.load(ctx, p, f.To, "", f.Fence)
	if err != nil {
		return Result{}, err
	}
	if f.To != f.Thread && now.seq != 0 {
		return Result{}, fmt.Errorf("graph: fork to thread %q: it has a history of its own: %w", f.To, ErrConflict)
	}
	if err := then.branch(now, f); err != nil {
		return Result{}, err
	}
	x := &run{rt: r, plan: p, thread: f.To, fence: f.Fence, local: f.Local, head: then}
	if err := x.commitFork(ctx, f); err != nil {
		return Result{}, err
	}
	r.store(ctx, x)
	return x.result(nil), nil
}

// branch makes an earlier head the newest one of a thread.
func (h *head) branch(now *head, f Fork) error {
	turns := slices.Clone(h.turns)
	if f.To == f.Thread {
		turns = append(slices.Clone(now.turns), now.turn)
		h.recent = now.recent
	}
	if f.Turn != "" && f.Turn != h.turn {
		if slices.Contains(turns, f.Turn) {
			return fmt.Errorf("%w: %q", ErrTurnPassed, f.Turn)
		}
		turns = append(turns, h.turn)
		h.turn = f.Turn
	}
	h.turns = turns[:0]
	for i, t := range turns {
		if t != "" && t != h.turn && !slices.Contains(turns[i+1:], t) {
			h.turns = append(h.turns, t)
		}
	}
	h.turns = h.turns[max(0, len(h.turns)-keptTurns):]
	h.seq, h.shared, h.pending = now.seq, 0, nil
	h.dirty = nil // the shared copy is put whole
	return nil
}

func (x *run) commitFork(ctx context.Context, f Fork) error {
	h := x.head
	vals := slices.Clone(h.vals)
	if err := x.plan.schema.apply(vals, f.Writes); err != nil {
		return err
	}
	h.vals = vals
	if f.As != "" {
		n, err := x.plan.writer(h, Edit{Thread: f.To, As: f.As})
		if err != nil {
			return err
		}
		next, wait, err := x.following(ctx, n, vals)
		if err != nil {
			return err
		}
		h.advance(x.plan.hash, next, wait, 0)
	}
	h.plan, h.base = x.plan.hash, h.seq+1
	whole, err := x.plan.snapshotFrom(&x.w, h, &Origin{Thread: f.Thread, Seq: f.Seq})
	if err != nil {
		return err
	}
	return x.append(ctx, Sync, x.record(RecordSnapshot, whole))
}
