package graph

import (
	"context"
	"fmt"
)

// Mapping maps state between a sub-graph and the graph around it.
type Mapping struct {
	In  func(ctx context.Context, outer State) ([]Write, error) // the sub-graph's input
	Out func(ctx context.Context, inner State) ([]Write, error) // the node's writes when it is over
}

// Subgraph adds a node that runs another plan. Each visit has a log of its own
// in a namespace below this graph's: after a crash or an answer the sub-graph
// goes on where it was. Its questions are asked as if the node asked them.
func (b *Builder) Subgraph(name string, child *Plan, m Mapping, policy Policy) {
	if child == nil || m.In == nil || m.Out == nil {
		b.problem("sub-graph %q needs a plan and both directions of its mapping", name)
		return
	}
	b.Node(name, func(ctx context.Context, s State) ([]Write, error) {
		return visit(ctx, s, child, m)
	}, policy)
	if n := b.byName[name]; n != nil {
		n.child = child
	}
}

// visit runs one visit of a sub-graph. Its turn is the visiting task, so that finished work does not run again.
func visit(ctx context.Context, s State, child *Plan, m Mapping) ([]Write, error) {
	t := taskOf(ctx)
	if t == nil {
		return nil, ErrNoTask
	}
	input, err := m.In(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("input of sub-graph %s: %w", child.name, err)
	}
	x := t.run
	// The visit's log is named after the records before it: they must not be lost.
	if err := x.flush(ctx); err != nil {
		return nil, err
	}
	res, _, err := x.rt.try(ctx, child, t.namespace(), Call{
		Thread: x.thread, Turn: t.id(), Input: input, Answers: x.answersOf(t.index), Fence: x.fence, Sink: x.sink, Local: x.local,
	})
	if err != nil {
		return nil, err
	}
	if !res.Done {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, in := range res.Interrupts {
			in.Node, in.Task, in.Step = t.node.name+"/"+in.Node, t.index, t.step
			t.asks = append(t.asks, in)
		}
		return nil, ErrInterrupted
	}
	return m.Out(ctx, res.State)
}

// namespace names the log of one visit.
func (t *task) namespace() string {
	return visitName(t.run.ns, t.node.name, t.run.head.base, t.index)
}

// answersOf returns the recorded answers to a task's questions, in the order
// in which they were asked.
func (x *run) answersOf(index int) []Answer {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.head.pending[index]
	if p == nil {
		return nil
	}
	var out []Answer
	for _, q := range p.asks {
		if a, ok := p.answers[q.ID]; ok {
			out = append(out, a)
		}
	}
	return out
}
