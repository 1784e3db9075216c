package graph

import (
	"context"
	"fmt"
	"time"
)

// lateWait bounds the commit of work finished after a cancellation, and of a due group.
const lateWait = 10 * time.Second

// append assigns sequence numbers to records and commits them according to d. Records of concurrent tasks share a
// commit if they arrive during one.
func (x *run) append(ctx context.Context, d Durability, records ...Record) error {
	x.mu.Lock()
	if x.broken != nil {
		x.mu.Unlock()
		return x.broken
	}
	h := x.head
	for i := range records {
		h.seq++
		records[i].Seq = h.seq
		if records[i].Kind == RecordSnapshot {
			h.delta, h.snap = 0, len(records[i].Body)
		} else {
			h.delta += len(records[i].Body)
		}
	}
	if x.rt.log == nil {
		x.mu.Unlock()
		return nil
	}
	x.buffer = append(x.buffer, records...)
	full := len(x.buffer) >= x.plan.options.Group
	if d == Grouped && !full {
		x.arm(ctx)
	}
	x.mu.Unlock()
	if d == Sync || (d == Grouped && full) {
		return x.flush(ctx)
	}
	return nil
}

// arm starts the clock of a group. The caller holds mu.
func (x *run) arm(ctx context.Context) {
	if x.timer != nil {
		return
	}
	x.late.Add(1)
	x.timer = time.AfterFunc(x.plan.options.Lag, func() {
		defer x.late.Done()
		x.mu.Lock()
		x.timer = nil
		x.mu.Unlock()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateWait)
		defer cancel()
		_ = x.flush(ctx) // the run sees it in broken before it goes on
	})
}

// flush commits all pending records. When it returns nil, every record appended before is in the log, whichever call
// committed it.
func (x *run) flush(ctx context.Context) error {
	if x.rt.log == nil {
		return nil
	}
	x.commits.Lock()
	defer x.commits.Unlock()
	x.mu.Lock()
	records, broken := x.buffer, x.broken
	x.buffer = x.spare
	if x.timer != nil && x.timer.Stop() {
		x.timer = nil
		x.late.Done()
	}
	x.mu.Unlock()
	if broken != nil || len(records) == 0 {
		x.spare = records[:0]
		return broken
	}
	err := x.commitRecords(ctx, records)
	clear(records) // bodies are not kept alive by a spare buffer
	x.spare = records[:0]
	return err
}

func (x *run) commitRecords(ctx context.Context, records []Record) error {
	if ctx.Err() != nil {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateWait)
		defer cancel()
		ctx = late
	}
	err := x.rt.log.Append(ctx, x.fence, records...)
	if err == nil {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.broken = fmt.Errorf("graph: append to thread %q: %w", x.thread, err)
	return x.broken
}

// refused returns the error of the log if it refused something.
func (x *run) refused() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.broken
}

// settled commits pending records and waits for running commits.
func (x *run) settled(ctx context.Context) error {
	err := x.flush(ctx)
	x.late.Wait()
	return err
}

// durability returns the strictest durability of tasks, of all tasks of the
// super-step if tasks is nil.
func (x *run) durability(tasks []int) Durability {
	d := AtExit
	if tasks == nil {
		for _, t := range x.head.next {
			d = min(d, x.plan.nodes[t.node].policy.Durability)
		}
		return d
	}
	for _, i := range tasks {
		d = min(d, x.plan.nodes[x.head.next[i].node].policy.Durability)
	}
	return d
}
