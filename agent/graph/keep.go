package graph

import (
	"context"
	"errors"
)

// tellAsks sends an event for every question that this call asked.
func (x *run) tellAsks() {
	if x.sink == nil {
		return
	}
	for i := range x.outs {
		for _, in := range x.outs[i].asks {
			e := Event{
				Source: x.origin, Detail: &Detail{Interrupt: &in}, Kind: EventInterrupt, Node: in.Node,
				Step: int32(x.head.step + 1), Task: int32(in.Task), Seq: x.head.seq, Since: x.rt.since(x.origin.Began),
			}
			x.sink(&e)
		}
	}
}

// settle reports whether every task of the super-step is done, and which failed.
func (x *run) settle() (complete bool, failure error) {
	complete = true
	var errs []error
	for i := range x.head.next {
		out := &x.outs[i]
		if out.err != nil {
			errs = append(errs, out.err)
		}
		if p := x.head.pending[i]; !out.done && (p == nil || !p.done) {
			complete = false
		}
	}
	if len(errs) == 1 {
		return false, errs[0]
	}
	return complete, errors.Join(errs...)
}

// keep appends finished work and questions of an incomplete super-step, so that its finished tasks do not run again.
func (x *run) keep(ctx context.Context, tasks []int) error {
	var asks []Interrupt
	n := 0
	x.w.b, x.w.any = x.w.b[:0], false
	for _, i := range tasks {
		out := &x.outs[i]
		if out.kept {
			continue
		}
		asks = append(asks, out.asks...)
		if !out.done {
			continue
		}
		if n++; n == 1 {
			x.w.field('t')
			x.w.b = append(x.w.b, '[')
		} else {
			x.w.b = append(x.w.b, ',')
		}
		b, err := appendTask(x.w.b, i, out.writes)
		if err != nil {
			return err
		}
		x.w.b = b
	}
	if n > 0 {
		x.w.b = append(x.w.b, ']')
	}
	if len(asks) > 0 {
		if err := x.w.json('q', asks); err != nil {
			return err
		}
	}
	if !x.w.any {
		return nil
	}
	if err := x.append(ctx, x.durability(tasks), x.record(RecordPending, x.w.done())); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.head.asks(asks)
	for _, i := range tasks {
		if out := &x.outs[i]; out.done && !out.kept {
			p := x.head.task(i)
			p.done, p.writes, out.kept = true, out.writes, true
		}
	}
	return nil
}
