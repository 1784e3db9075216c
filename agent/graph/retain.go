package graph

import (
	"context"
	"fmt"
	"strconv"
	"time"
)

// NamespaceDropper is implemented by checkpointers that can remove the log of
// one namespace and of those below it (its name and a slash before theirs).
// Without it a finished visit of a sub-graph leaves one small record when its
// thread is pruned. DropNamespace is idempotent.
type NamespaceDropper interface {
	DropNamespace(ctx context.Context, thread, ns string) error
}

// Retention sets the history to keep beside a thread's newest state. A record that matches any of its fields is kept.
type Retention struct {
	Records int           // that many records before the newest snapshot
	Age     time.Duration // records younger than this; 0 keeps none for their age
}

// Compact is [Runtime.Retain] for a number of records, without a lease.
func (r *Runtime) Compact(ctx context.Context, p *Plan, thread string, keep int) error {
	return r.Retain(ctx, p, thread, 0, Retention{Records: keep})
}

// Retain writes a snapshot of a thread if it is between two turns, and removes
// the records before the newest snapshot that need not be kept, together with
// the logs of the sub-graphs that they visited. What a waiting or broken-off
// turn needs always stays. A run of the thread that starts meanwhile waits for it;
// during a run it is ErrBusy.
func (r *Runtime) Retain(ctx context.Context, p *Plan, thread string, fence int64, keep Retention) error {
	if r.log == nil {
		return ErrNoCheckpointer
	}
	leave, err := r.claimRetain(thread)
	if err != nil {
		return err
	}
	defer leave()
	h, err := r.load(ctx, p, thread, "", fence)
	if err != nil {
		return err
	}
	x := &run{rt: r, plan: p, thread: thread, fence: fence, head: h}
	if h.done && h.delta > 0 {
		whole, err := p.snapshot(&x.w, h)
		if err != nil {
			return err
		}
		if err := x.append(ctx, Sync, x.record(RecordSnapshot, whole)); err != nil {
			return err
		}
	}
	active := h.base
	if h.done {
		active = 0
	}
	r.store(ctx, x)
	c := &cutter{r: r, thread: thread, fence: fence, active: active}
	if err := c.prune(ctx, p, keep); err != nil {
		return fmt.Errorf("graph: prune thread %q: %w", thread, err)
	}
	return nil
}

// cutter removes the older part of a thread.
type cutter struct {
	r      *Runtime
	thread string
	fence  int64
	active int64 // base of the visits that still run or wait; 0 without any
}

func (c *cutter) prune(ctx context.Context, p *Plan, keep Retention) error {
	records, err := c.r.log.Load(ctx, c.thread, "")
	if err != nil {
		return err
	}
	if len(records) == 0 || records[0].Kind != RecordSnapshot {
		return nil
	}
	snap := records[0].Seq
	young := c.r.now().Add(-keep.Age)
	end := snap - int64(max(keep.Records, 0)) // the first record that stays
	end, err = c.visits(ctx, p, "", end, func(r Record) bool { return keep.Age > 0 && !r.At.Before(young) })
	if err != nil {
		return err
	}
	return c.r.log.Prune(ctx, c.thread, "", int(snap-end))
}

// visits drops the sub-graphs that the records of a namespace before end
// visited, as far as stop does not end it sooner, and returns where it ended.
func (c *cutter) visits(ctx context.Context, p *Plan, ns string, end int64, stop func(Record) bool) (int64, error) {
	for from := int64(1); from < end; {
		page, err := c.r.log.History(ctx, c.thread, ns, from, end-1, historyPage)
		if err != nil {
			return 0, err
		}
		if len(page) == 0 {
			break
		}
		for _, rec := range page {
			if stop(rec) {
				return rec.Seq, nil
			}
			if err := c.visit(ctx, p, rec); err != nil {
				return 0, err
			}
		}
		from = page[len(page)-1].Seq + 1
	}
	return end, nil
}

// visit drops the sub-graphs that a record started.
func (c *cutter) visit(ctx context.Context, p *Plan, rec Record) error {
	b, err := decodeBody(rec.Body)
	if err != nil {
		return &RecordError{rec.Thread, rec.NS, rec.Seq, "", err}
	}
	base := rec.Seq
	if b.Head != nil {
		base = b.Head.Base
	}
	if rec.NS == "" && base == c.active {
		return nil
	}
	for i, t := range b.Next {
		n, ok := p.index[t.name]
		if !ok || n <= 0 || p.nodes[n].child == nil {
			continue
		}
		if err := c.drop(ctx, p.nodes[n].child, visitName(rec.NS, t.name, base, i)); err != nil {
			return err
		}
	}
	return nil
}

// drop removes the log of one finished visit.
func (c *cutter) drop(ctx context.Context, p *Plan, ns string) error {
	if d, ok := c.r.log.(NamespaceDropper); ok {
		return d.DropNamespace(ctx, c.thread, ns)
	}
	head, err := c.r.log.Head(ctx, c.thread, ns)
	if err != nil || head < 2 { // never begun, or a tombstone already
		return err
	}
	if _, err := c.visits(ctx, p, ns, head+1, func(Record) bool { return false }); err != nil {
		return err
	}
	last, err := c.r.log.History(ctx, c.thread, ns, head, head, 1)
	if err != nil || len(last) == 0 || string(last[0].Body) == tombstone {
		return err
	}
	stone := last[0]
	stone.Seq, stone.Kind, stone.At, stone.Body = head+1, RecordSnapshot, c.r.now(), []byte(tombstone)
	if err := c.r.log.Append(ctx, c.fence, stone); err != nil {
		return err
	}
	return c.r.log.Prune(ctx, c.thread, ns, 0)
}

// tombstone is the body that is left of a visit.
const tombstone = `{"h":{"base":0}}`

// visitName names the log of one visit of a sub-graph.
func visitName(outer, node string, base int64, index int) string {
	ns := node + ":" + strconv.FormatInt(base, 10) + "." + strconv.Itoa(index)
	if outer != "" {
		return outer + "/" + ns
	}
	return ns
}
