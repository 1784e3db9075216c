package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// route returns the nodes after the tasks of from, given the state after them and the tasks' progress. It sets the
// bits of joins in wait, which the caller owns.
func (x *run) route(
	ctx context.Context, from []target, known map[int]*pending, vals []any, wait []uint64,
) (next []target, err error) {
	at := 0
	defer func() {
		if p := recover(); p != nil {
			err = &PanicError{p, debug.Stack()}
		}
		if err != nil {
			err = &NodeError{Node: from[at].name, Step: x.head.step + 1, Attempt: 1, Err: fmt.Errorf("choose the next nodes: %w", err), Arg: from[at].arg}
		}
	}()
	fixed := 1
	for _, t := range from {
		fixed += len(x.plan.nodes[t.node].static)
	}
	r := router{plan: x.plan, next: slices.Grow(x.bufs[x.flip][:0], min(fixed, len(x.plan.nodes))), mark: x.marks()}
	for i, t := range from {
		at = i
		n := x.plan.nodes[t.node]
		if known[i].expired(n) {
			r.add(n.expiry, nil)
			continue
		}
		for _, to := range n.static {
			r.add(to, nil)
		}
		if len(n.branches) > 0 {
			if err := r.branches(ctx, n, State{x.plan.schema, vals, t.arg, x.local}); err != nil {
				return nil, err
			}
		}
		for _, f := range n.feeds {
			wait[f.join] |= f.bit
		}
	}
	for j, bits := range wait {
		if bits == x.plan.joins[j].full {
			r.add(x.plan.joins[j].target, nil)
			wait[j] = 0
		}
	}
	if len(r.next) == 0 {
		if err := x.plan.stuck(wait); err != nil {
			return nil, err
		}
	}
	x.bufs[x.flip] = r.next
	x.flip = 1 - x.flip
	return r.next, nil
}

func (x *run) marks() []bool {
	if x.mark == nil {
		x.mark = make([]bool, len(x.plan.nodes))
	}
	clear(x.mark)
	return x.mark
}

// router collects targets; one that is reached without an argument runs once.
type router struct {
	plan *Plan
	next []target
	mark []bool
}

func (r *router) add(node int, arg json.RawMessage) {
	if node == endNode {
		return
	}
	if arg == nil {
		if r.mark[node] {
			return
		}
		r.mark[node] = true
	}
	r.next = append(r.next, target{r.plan.nodes[node].name, node, arg})
}

func (r *router) branches(ctx context.Context, n *planNode, s State) error {
	for i := range n.branches {
		br := &n.branches[i]
		if br.pick != nil {
			if err := r.send(br, Send{Node: br.pick(s)}); err != nil {
				return err
			}
			continue
		}
		sends, err := br.route(ctx, s)
		if err != nil {
			return err
		}
		for _, to := range sends {
			if err := r.send(br, to); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *router) send(br *planBranch, to Send) error {
	if to.err != nil {
		return fmt.Errorf("argument for %q: %w", to.Node, to.err)
	}
	node, ok := br.targets[to.Node]
	if !ok {
		return fmt.Errorf("%q is not among the targets %s", to.Node, strings.Join(br.order, ", "))
	}
	if to.Arg != nil && !json.Valid(to.Arg) {
		return fmt.Errorf("argument for %q is not JSON", to.Node)
	}
	r.add(node, to.Arg)
	return nil
}

// stuck reports joins that wait although nothing runs any more.
func (p *Plan) stuck(wait []uint64) error {
	for j, bits := range wait {
		if bits == 0 {
			continue
		}
		var missing []string
		for k, src := range p.joins[j].sources {
			if bits&(1<<k) == 0 {
				missing = append(missing, p.nodes[src].name)
			}
		}
		return fmt.Errorf("%w: %s waits for %s", ErrStuck, p.nodes[p.joins[j].target].name, strings.Join(missing, ", "))
	}
	return nil
}
