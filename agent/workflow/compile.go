package workflow

import (
	"context"
	"fmt"

	"maru/agent/graph"
)

// defaultIterations is how many super-steps a turn may take if the definition
// does not say.
const defaultIterations = 50

// Compile validates a definition, binds its nodes to their configs and builds
// the graph on the channels of schema. The error is Problems when the
// definition is at fault; warnings come with a plan.
func Compile(d Definition, r *Registry, schema *graph.Schema, opts graph.Options) (*graph.Plan, Problems, error) {
	found := Validate(d, r)
	if err := found.err(); err != nil {
		return nil, found, err
	}
	c := compiler{d: d, r: r, b: graph.New(d.ID, schema), name: map[string]string{}, bound: map[string]Bound{}}
	c.nodes(&found)
	if err := found.err(); err != nil {
		return nil, found, err
	}
	c.edges()
	opts.MaxSteps = d.MaxIterations
	if opts.MaxSteps == 0 {
		opts.MaxSteps = defaultIterations
	}
	plan, err := c.b.Compile(opts)
	if err != nil {
		return nil, found, fmt.Errorf("workflow %s: %w", d.ID, err)
	}
	return plan, found, nil
}

type compiler struct {
	d     Definition
	r     *Registry
	b     *graph.Builder
	name  map[string]string // node id to the graph's name for it
	bound map[string]Bound
}

func (c *compiler) nodes(found *Problems) {
	for i, n := range c.d.Nodes {
		switch n.Type {
		case TypeStart:
			c.name[n.ID] = graph.Start
			continue
		case TypeEnd:
			c.name[n.ID] = graph.End
			continue
		}
		t, _ := c.r.Type(n.Type) // validated
		config := n.Config
		if len(config) == 0 {
			config = []byte("{}")
		}
		bound, err := t.Bind(config)
		if err != nil {
			found.add(fmt.Sprintf("/nodes/%d/config", i), "", "%v", err)
			continue
		}
		bound.Policy.Writes = t.Writes
		c.name[n.ID], c.bound[n.ID] = n.ID, bound
		c.b.Node(n.ID, bound.Run, bound.Policy)
	}
}

// edges wires each node: directly if it has one port, else through the type's
// routing function.
func (c *compiler) edges() {
	for _, n := range c.d.Nodes {
		ports := map[string][]string{}
		var targets []string
		for _, e := range c.d.Edges {
			if e.Source == n.ID {
				ports[e.Port] = append(ports[e.Port], c.name[e.Target])
				targets = append(targets, c.name[e.Target])
			}
		}
		route := c.bound[n.ID].Route
		if route == nil {
			for _, target := range targets {
				c.b.Edge(c.name[n.ID], target)
			}
			continue
		}
		c.b.Branch(c.name[n.ID], func(_ context.Context, s graph.State) ([]graph.Send, error) {
			port := route(s)
			next, ok := ports[port]
			if !ok {
				return nil, fmt.Errorf("node %s chose port %q, which it does not have", n.ID, port)
			}
			return graph.To(next...), nil
		}, dedupe(targets)...)
	}
}

func dedupe(names []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, n := range names {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	return out
}
