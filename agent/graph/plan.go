package graph

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// DefaultMaxSteps bounds the super-steps of a run that sets no bound.
const DefaultMaxSteps = 50

// DefaultParallel bounds the tasks that run at once if a graph sets no bound.
// It does not depend on processors: nodes wait for the network.
const DefaultParallel = 16

// DefaultGroup and DefaultLag bound a crash's loss in a graph with group commit.
const (
	DefaultGroup = 16
	DefaultLag   = 50 * time.Millisecond
)

// Plan is a compiled graph: nodes and edges by index, checked. It is immutable
// and safe for concurrent use.
type Plan struct {
	name    string
	hash    string
	schema  *Schema
	nodes   []*planNode // the first is Start
	index   map[string]int
	joins   []planJoin
	options Options
	zero    []any // values of an empty state
}

// endNode is the index of End in lists of targets.
const endNode = -1

type planNode struct {
	name     string
	index    int
	run      Node
	policy   Policy
	child    *Plan
	static   []int
	branches []planBranch
	feeds    []feed       // joins that this node is a source of
	writes   map[int]bool // channels it may write; nil: any
	expiry   int          // runs after an expired question; noExpiry: the node does
}

// noExpiry marks a node that handles the expiry of its questions itself.
const noExpiry = -3

type feed struct {
	join int
	bit  uint64
}

type planBranch struct {
	pick    func(State) string
	route   Router
	targets map[string]int
	order   []string
}

type planJoin struct {
	target  int
	sources []int
	full    uint64
}

// Compile checks the graph and returns its plan, or a *[CompileError] with
// every problem.
func (b *Builder) Compile(o Options) (*Plan, error) {
	o.MaxSteps = cmp.Or(o.MaxSteps, DefaultMaxSteps)
	o.Parallel = cmp.Or(o.Parallel, DefaultParallel)
	if o.Durability == Inherit {
		o.Durability = Sync
	}
	o.Group = cmp.Or(o.Group, DefaultGroup)
	o.Lag = cmp.Or(o.Lag, DefaultLag)
	if problems := b.check(o); len(problems) > 0 {
		return nil, &CompileError{b.name, problems}
	}
	p := &Plan{
		name: b.name, schema: b.schema, options: o,
		index: map[string]int{End: endNode}, zero: make([]any, len(b.schema.channels)),
	}
	for i, n := range b.nodes {
		p.index[n.name] = i
		p.nodes = append(p.nodes, &planNode{
			name: n.name, index: i, run: n.run, policy: n.policy, child: n.child, writes: b.writes(n), expiry: noExpiry,
		})
		if n.policy.Durability == Inherit {
			p.nodes[i].policy.Durability = o.Durability
		}
	}
	for i, n := range b.nodes {
		p.link(p.nodes[i], n)
	}
	for _, j := range b.joins {
		p.join(j)
	}
	p.hash = p.digest()
	return p, nil
}

func (b *Builder) writes(n *builderNode) map[int]bool {
	if n.policy.Writes == nil {
		return nil
	}
	out := map[int]bool{}
	for _, w := range n.policy.Writes {
		out[b.schema.byName[w].index] = true
	}
	return out
}

func (p *Plan) link(pn *planNode, n *builderNode) {
	for _, t := range n.static {
		pn.static = append(pn.static, p.index[t])
	}
	for _, br := range n.branches {
		pb := planBranch{pick: br.pick, route: br.route, targets: map[string]int{}, order: br.targets}
		for _, t := range br.targets {
			pb.targets[t] = p.index[t]
		}
		pn.branches = append(pn.branches, pb)
	}
	if n.expiry != "" {
		pn.expiry = p.index[n.expiry]
	}
}

func (p *Plan) join(j builderJoin) {
	pj := planJoin{target: p.index[j.target], full: 1<<len(j.sources) - 1}
	for i, s := range j.sources {
		src := p.nodes[p.index[s]]
		pj.sources = append(pj.sources, src.index)
		src.feeds = append(src.feeds, feed{len(p.joins), 1 << i})
	}
	p.joins = append(p.joins, pj)
}

// digest hashes the dependencies of a running turn: state channels, nodes, edges and the version, not policies or
// code.
func (p *Plan) digest() string {
	var s strings.Builder
	if p.options.Version != "" {
		fmt.Fprintf(&s, "version %q\n", p.options.Version)
	}
	for _, c := range p.schema.channels {
		fmt.Fprintf(&s, "channel %s %s %s %s\n", c.name, c.kind, c.life, c.tag())
	}
	for _, n := range p.nodes {
		fmt.Fprintf(&s, "node %s", n.name)
		if n.child != nil {
			fmt.Fprintf(&s, " = %s", n.child.hash)
		}
		for _, t := range n.static {
			fmt.Fprintf(&s, " %d", t)
		}
		for _, br := range n.branches {
			fmt.Fprintf(&s, " (%s)", strings.Join(slices.Sorted(slices.Values(br.order)), "|"))
		}
		if n.expiry != noExpiry {
			fmt.Fprintf(&s, " expired %d", n.expiry)
		}
		s.WriteByte('\n')
	}
	for _, j := range p.joins {
		fmt.Fprintf(&s, "join %d %v\n", j.target, j.sources)
	}
	sum := sha256.Sum256([]byte(s.String()))
	return hex.EncodeToString(sum[:8])
}

// Name returns the graph's name.
func (p *Plan) Name() string { return p.name }

// Hash returns the digest of channels, nodes, edges and version that every
// record carries.
func (p *Plan) Hash() string { return p.hash }

// Schema returns the schema on which the graph was built.
func (p *Plan) Schema() *Schema { return p.schema }

// Options returns the settings with their defaults filled in.
func (p *Plan) Options() Options { return p.options }

// Nodes returns the names of the nodes in the order of their declaration.
func (p *Plan) Nodes() []string {
	out := make([]string, 0, len(p.nodes)-1)
	for _, n := range p.nodes[1:] {
		out = append(out, n.name)
	}
	return out
}
