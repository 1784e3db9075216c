package graph

import (
	"context"
	"errors"
	"time"
)

// OnExpiry makes target run in place of node's successors when a question of node expires. The node itself does not
// run again, and its other questions are withdrawn. Without it the node runs and sees [Answer].Expired.
func (b *Builder) OnExpiry(node, target string) {
	n := b.source(node, "on-expiry edge")
	if n == nil {
		return
	}
	switch {
	case n.name == Start:
		b.problem("the start asks nothing and cannot expire")
	case n.expiry != "":
		b.problem("node %q has two on-expiry edges", node)
	case n.child != nil:
		b.problem("sub-graph %q: put the on-expiry edge on the node within it that asks", node)
	}
	n.expiry = target
}

// expired reports whether one of the task's questions expired and its node has an expiry edge.
func (p *pending) expired(n *planNode) bool {
	if p == nil || n.expiry == noExpiry {
		return false
	}
	for _, a := range p.answers {
		if a.Expired {
			return true
		}
	}
	return false
}

// gaveUp is expired for a task that is about to run.
func (x *run) gaveUp(index int, n *planNode) bool {
	if n.expiry == noExpiry {
		return false
	}
	x.mu.Lock()
	gone := x.head.pending[index].expired(n)
	x.mu.Unlock()
	if gone && x.sink != nil {
		x.sink(&Event{
			Source: x.origin, Detail: noDetail, Kind: EventExpired, Node: n.name,
			Step: int32(x.head.step + 1), Task: int32(index), Since: x.rt.since(x.origin.Began),
		})
	}
	return gone
}

// Overdue returns the expired questions.
func Overdue(questions []Interrupt, now time.Time) []Interrupt {
	var out []Interrupt
	for _, q := range questions {
		if !q.Expires.IsZero() && now.After(q.Expires) {
			out = append(out, q)
		}
	}
	return out
}

// Expire answers a thread's expired questions with [Answer].Expired and resumes its turn. A scheduler that knows the
// waiting threads calls it periodically for each. Without expired questions it runs nothing and returns the thread's
// position; Result.Outcomes reports each question, which a person may have answered first.
func (r *Runtime) Expire(ctx context.Context, p *Plan, c Call) (Result, error) {
	res, err := r.Peek(ctx, p, c.Thread)
	if err != nil {
		return res, err
	}
	over := Overdue(res.Interrupts, r.now())
	if len(over) == 0 {
		return res, nil
	}
	c.Answers = nil
	for _, q := range over {
		c.Answers = append(c.Answers, Answer{ID: q.ID, Expired: true})
	}
	res, err = r.Resume(ctx, p, c)
	if errors.Is(err, ErrStaleInterrupt) || errors.Is(err, ErrNothingToResume) {
		return r.Peek(ctx, p, c.Thread) // the turn was over before
	}
	return res, err
}
