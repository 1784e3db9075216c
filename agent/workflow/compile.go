package workflow

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent/graph"

	"maru/phrase"
)

// defaultIterations is the maximum number of super-steps of a turn whose definition sets none.
const defaultIterations = 50

// Find returns the definition of a sub-workflow by its id.
type Find func(id string) (Definition, bool)

// Compile validates a definition, binds its nodes to their configs and builds
// the graph on the channels of schema. The error is Problems when the
// definition is at fault; warnings come with a plan, see [Problems.Stored].
func Compile(d Definition, r *Registry, schema *graph.Schema, opts graph.Options) (*graph.Plan, Problems, error) {
	return CompileWith(d, r, schema, opts, nil)
}

// CompileWith is Compile for definitions that may run others, which find
// returns.
func CompileWith(d Definition, r *Registry, schema *graph.Schema, opts graph.Options, find Find) (*graph.Plan, Problems, error) {
	return newCompiler(d, r, schema, find).compile(opts)
}

// Check returns every problem of a definition that can be known before it runs, for whoever writes it. Those of the workflows that
// it runs are as [Problems.Stored] has them.
func Check(d Definition, r *Registry, schema *graph.Schema, find Find) Problems {
	c := newCompiler(d, r, schema, find)
	c.strict = true
	_, found, err := c.compile(graph.Options{})
	if err != nil && found.err() == nil {
		found.say(StageCompile, "", phrase.Sentence{}, phrase.Raw(err.Error()))
	}
	return found
}

// compiler compiles one definition: validate, resolve, bind, wire, compile.
type compiler struct {
	d      Definition
	r      *Registry
	schema *graph.Schema
	find   Find
	above  []string               // ids of the workflows that run this one
	done   map[string]*graph.Plan // sub-workflows that are compiled, by id; shared
	strict bool                   // wrong types are errors

	found Problems
	b     *graph.Builder
	name  map[string]string // node id to the graph's name for it
	bound map[string]Bound
	child map[string]*graph.Plan
}

func newCompiler(d Definition, r *Registry, schema *graph.Schema, find Find) *compiler {
	return &compiler{d: d, r: r, schema: schema, find: find, done: map[string]*graph.Plan{}}
}

func (c *compiler) compile(opts graph.Options) (*graph.Plan, Problems, error) {
	c.name, c.bound, c.child = map[string]string{}, map[string]Bound{}, map[string]*graph.Plan{}
	v := validate(c.d, c.r) // stages validate and resolve
	c.d, c.found = v.d, v.found
	c.bind()
	if !c.strict {
		c.found = c.found.Stored()
	}
	if v.loose {
		return nil, c.found, c.found.err()
	}
	c.unanswered()
	c.absent()
	c.parallelWriters() // a fault of one node hides nothing of the others
	c.b = graph.New(c.d.ID, c.schema)
	c.nodes()
	c.wire()
	if err := c.found.err(); err != nil {
		return nil, c.found, err
	}
	opts.MaxSteps = cmp.Or(c.d.MaxIterations, defaultIterations)
	opts.Version = c.d.Hash()
	plan, err := c.b.Compile(opts)
	if err != nil {
		return nil, c.found, fmt.Errorf("workflow %s: %w", c.d.ID, err)
	}
	return plan, c.found, nil
}

// bind makes every node whose type is known. A fault of one does not hide those
// of the others.
func (c *compiler) bind() {
	for i, n := range c.d.Nodes {
		t, known := c.r.Type(n.Type)
		at := fmt.Sprintf("/nodes/%d/config", i)
		if !known || slices.ContainsFunc(c.found, func(p Problem) bool { return !p.Warning && strings.HasPrefix(p.Pointer, at) }) {
			continue
		}
		bound, err := t.bind(Place{Node: n.ID, Config: n.Config, Schema: c.schema})
		if err != nil {
			c.found.bound(at, phrase.Of("definition.see_type", t.Name), err)
			continue
		}
		for _, err := range bound.Mistyped {
			c.found.bound(at, phrase.Of("definition.see_type", t.Name), err)
			c.found[len(c.found)-1].mistyped = true
		}
		if bound.Writes == nil {
			bound.Writes = t.Writes
		}
		if bound.Child != "" {
			c.sub(at, n.ID, bound.Child)
		}
		c.channels(at, bound)
		c.bound[n.ID] = bound
	}
}

// channels checks that what a node writes exists.
func (c *compiler) channels(at string, b Bound) {
	var names []string
	for _, ch := range c.schema.Channels() {
		names = append(names, ch.Name)
	}
	for _, w := range b.Writes {
		if slices.Contains(names, w) {
			continue
		}
		hint := phrase.Of("definition.channels", strings.Join(names, ", "))
		if near := Nearest(w, names); len(near) > 0 {
			hint = meant(near)
		}
		c.found.add(StageBind, at, hint, "definition.no_channel", w)
	}
}

// sub compiles the workflow that a node runs.
func (c *compiler) sub(at, node, id string) {
	if id == c.d.ID || slices.Contains(c.above, id) {
		c.found.add(StageBind, at, phrase.Of("definition.runs_itself.do"), "definition.runs_itself", id)
		return
	}
	var d Definition
	ok := false
	if c.find != nil {
		d, ok = c.find(id)
	}
	if ok && (d.ID != id || len(c.above) >= maxSub) {
		c.found.add(StageBind, at, phrase.Of("definition.deep_flow.do"), "definition.deep_flow", id, maxSub)
		return
	}
	if !ok {
		c.found.add(StageBind, at, phrase.Of("definition.no_flow.do"), "definition.no_flow", id)
		return
	}
	if plan := c.done[id]; plan != nil {
		c.child[node] = plan
		return
	}
	inner := compiler{d: d, r: c.r, schema: c.schema, find: c.find, done: c.done, above: append(slices.Clone(c.above), c.d.ID)}
	plan, found, err := inner.compile(graph.Options{})
	if err != nil {
		c.found.add(StageBind, at, phrase.Of("definition.broken_flow.do", id), "definition.broken_flow", id, err)
		return
	}
	for _, p := range found {
		c.found.Warn(StageBind, at, p.told.does, "definition.in_flow", id, p.Pointer, p.told.says)
	}
	c.done[id], c.child[node] = plan, plan
}

// maxSub bounds how deep workflows run workflows.
const maxSub = 8

func (c *compiler) nodes() {
	for _, n := range c.d.Nodes {
		switch n.Type {
		case TypeStart:
			c.name[n.ID] = graph.Start
			continue
		case TypeEnd:
			c.name[n.ID] = graph.End
			continue
		}
		bound := c.bound[n.ID]
		c.name[n.ID] = n.ID
		policy := n.Policy.over(bound.Policy)
		policy.Writes = bound.Writes
		policy.Parallel = c.concurrency(n.ID)
		if plan := c.child[n.ID]; plan != nil {
			c.b.Subgraph(n.ID, plan, bound.Mapping, policy)
			continue
		}
		c.b.Node(n.ID, bound.Run, policy)
	}
}

// concurrency returns the smallest bound that the maps which lead to a node set,
// 0 for none.
func (c *compiler) concurrency(id string) int {
	bound := 0
	for _, e := range c.d.Edges {
		if limit := c.bound[e.Source].Concurrency; e.Target == id && limit > 0 && (bound == 0 || limit < bound) {
			bound = limit
		}
	}
	return bound
}

// over returns the policy of a type with the definition's values put over it.
func (p *Policy) over(base graph.Policy) graph.Policy {
	if p == nil {
		return base
	}
	if d, err := time.ParseDuration(p.Timeout); err == nil {
		base.Timeout = d
	}
	if p.Retry != nil {
		base.Retry.Attempts = p.Retry.Attempts
		base.Retry.Wait = time.Second
		if d, err := time.ParseDuration(p.Retry.Wait); err == nil {
			base.Retry.Wait = d
		}
		if d, err := time.ParseDuration(p.Retry.MaxWait); err == nil {
			base.Retry.MaxWait = d
		}
	}
	return base
}

// wire adds the edges: directly from nodes with one port, else through the node's routing function, or its first port
// if it has none.
func (c *compiler) wire() {
	for i, n := range c.d.Nodes {
		t, _ := c.r.Type(n.Type)
		ports := map[string][]string{}
		var targets, order []string
		for k, e := range c.d.Edges {
			if e.Source != n.ID {
				continue
			}
			if e.Port != "" && e.Port == t.Expiry {
				c.expiry(k, e)
				continue
			}
			if ports[e.Port] == nil {
				order = append(order, e.Port)
			}
			target := c.name[e.Target]
			ports[e.Port] = append(ports[e.Port], target)
			if !c.joined(n, e.Target) {
				targets = append(targets, target)
			}
		}
		bound, made := c.bound[n.ID]
		targets = dedupe(targets)
		named := t.ports(n)
		switch {
		case bound.Spread != nil:
			c.b.Branch(c.name[n.ID], spread(n.ID, bound, ports), targets...)
		case bound.Route != nil:
			c.b.Branch(c.name[n.ID], follow(n.ID, bound.Route, ports), targets...)
		case len(order) > 1 && len(named) > 0 && made:
			first := named[0]
			c.found.Warn(StageWire, fmt.Sprintf("/nodes/%d", i), phrase.Of("definition.no_route.do"), "definition.no_route", t.Name, first)
			c.b.Branch(c.name[n.ID], follow(n.ID, func(context.Context, graph.State) string { return first }, ports), targets...)
		default:
			for _, target := range targets {
				c.b.Edge(c.name[n.ID], target)
			}
		}
	}
	c.joins()
}

// expiry adds the edge at position k, which is taken when a question of its source expires. The engine supports one
// such edge a node.
func (c *compiler) expiry(k int, e Edge) {
	for _, before := range c.d.Edges[:k] {
		if before.Source == e.Source && before.Port == e.Port {
			c.found.add(StageWire, fmt.Sprintf("/edges/%d", k), phrase.Of("definition.one_node.do"), "definition.one_node", e.Port, e.Source)
			return
		}
	}
	c.b.OnExpiry(c.name[e.Source], c.name[e.Target])
}

// joined reports whether an edge is part of a join that waits for all sources.
func (c *compiler) joined(source Node, target string) bool {
	return source.Type != TypeStart && c.bound[target].Wait
}

// joins marks the nodes that wait for all of their sources.
func (c *compiler) joins() {
	for i, n := range c.d.Nodes {
		if !c.bound[n.ID].Wait {
			continue
		}
		var sources []string
		for k, e := range c.d.Edges {
			if e.Target != n.ID {
				continue
			}
			if e.Port != "" || c.name[e.Source] == graph.Start {
				c.found.add(StageWire, fmt.Sprintf("/edges/%d", k), phrase.Of("definition.waits_in_vain.do"), "definition.waits_in_vain", n.ID)
				continue
			}
			sources = append(sources, e.Source)
		}
		if len(sources) > 63 {
			c.found.add(StageWire, fmt.Sprintf("/nodes/%d", i), phrase.Of("definition.many_sources.do"), "definition.many_sources", n.ID, len(sources))
		}
		if c.found.err() == nil && len(sources) > 0 {
			c.b.Join(n.ID, sources...)
		}
	}
}

// follow routes over the port that route names.
func follow(node string, route func(context.Context, graph.State) string, ports map[string][]string) graph.Router {
	return func(ctx context.Context, s graph.State) ([]graph.Send, error) {
		port := route(ctx, s)
		next, ok := ports[port]
		if !ok {
			return nil, fmt.Errorf("node %s chose port %q, which it does not have", node, port)
		}
		return graph.To(next...), nil
	}
}

// Item is the argument of a task of a map.
type Item struct {
	Map   string `json:"map"` // id of the map node
	Index int    `json:"index"`
	Count int    `json:"count"`
	Value any    `json:"value"`
}

// spread sends one task for each item.
func spread(node string, b Bound, ports map[string][]string) graph.Router {
	return func(ctx context.Context, s graph.State) ([]graph.Send, error) {
		port, items, empty, err := b.Spread(ctx, s)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			return graph.To(ports[empty]...), nil
		}
		var out []graph.Send
		for _, target := range ports[port] {
			for i, v := range items {
				out = append(out, graph.SendTo(target, Item{Map: node, Index: i, Count: len(items), Value: v}))
			}
		}
		return out, nil
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
