package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Start and End are the ends of every graph: edges leave Start and lead to
// End.
const (
	Start = "__start__"
	End   = "__end__"
)

// Node does one step of work. It reads s and returns its writes.
//
// A node may run more than once for the same visit: after an error, a crash or an answered question it restarts from
// its top. Effects that must not repeat go through [Once]. It must not start goroutines that outlive it.
type Node func(ctx context.Context, s State) ([]Write, error)

// Router chooses the next nodes from the state after a node. It must be fast, deterministic and free of effects.
// Returning nothing ends this branch.
type Router func(ctx context.Context, s State) ([]Send, error)

// Send starts a node. A node that is sent several arguments in one super-step
// runs once for each, side by side.
type Send struct {
	Node string
	Arg  json.RawMessage // nil: as over an edge, at most one task
	err  error
}

// To returns sends without arguments.
func To(nodes ...string) []Send {
	out := make([]Send, len(nodes))
	for i, n := range nodes {
		out[i].Node = n
	}
	return out
}

// SendTo returns a send with an argument, which is kept as JSON; the task reads
// it with [Arg].
func SendTo(node string, arg any) Send {
	raw, err := appendJSON(nil, arg)
	return Send{Node: node, Arg: raw, err: err}
}

// Policy is the execution policy of a node. The zero value runs it once, without a deadline of its own.
type Policy struct {
	// Timeout bounds each attempt through its context; 0 means none.
	Timeout time.Duration
	// Retry is the policy after an error.
	Retry Retry
	// Writes lists the channels that the node writes. If it is given, other
	// writes are errors and Compile can find parallel writers.
	Writes []string
	// Before asks a person before the node runs; it returns nil if there is
	// nothing to ask. The node reads the answer with [Answered].
	Before func(ctx context.Context, s State) (*Question, error)
	// Parallel bounds the tasks of this node that run at once within a
	// super-step; 0 means only the graph's bound.
	Parallel int
	// Durability sets when this node's work is committed; Inherit means the graph's setting. A super-step uses the
	// strictest setting of its nodes.
	Durability Durability
}

// Retry sets the number and backoff of a node's attempts. Effects recorded by [Once] are not repeated.
type Retry struct {
	Attempts int              // in total; 0 and 1 mean no retry
	Wait     time.Duration    // before the second attempt, doubled each time
	MaxWait  time.Duration    // bound of Wait; 0 means 30 s
	If       func(error) bool // nil: every error except of a panic or of ctx
}

// Durability sets when records are committed. At any setting, everything is committed before an effect, before a
// visit of a sub-graph and before Run returns.
type Durability int

// The durabilities, the strictest first.
const (
	// Inherit is the graph's in a [Policy], and Sync in [Options].
	Inherit Durability = iota
	// Sync commits every super-step before the next one begins, and the work of
	// finished tasks while their siblings still run.
	Sync
	// Grouped lets the run go on and commits when Options.Group records wait or
	// the oldest of them is Options.Lag old, even while a node runs. A crash
	// loses at most that: these steps run again. It is for steps that are cheap
	// or safe to repeat.
	Grouped
	// AtExit commits once, when the run ends, waits or fails. A crash loses uncommitted work: the turn starts over.
	AtExit
)

// Options are the settings of a compiled graph.
type Options struct {
	MaxSteps   int           // super-steps of one Run call; 0 means 50
	Parallel   int           // tasks of a super-step that run at once; 0 means 16
	Durability Durability    // when records are committed; Inherit means Sync
	Group      int           // records that Grouped commits at once at the latest; 0 means 16
	Lag        time.Duration // age at which Grouped commits at the latest; 0 means 50 ms
	// Accept lists hashes of earlier plans whose unfinished turns may continue under this one, if the next nodes
	// still exist.
	Accept []string
	// Version joins the plan's hash: dependencies of a running turn besides state channels, nodes and edges, such as
	// the graph's source text.
	Version string
}

// Builder collects the nodes and edges of a graph. Mistakes are reported by
// Compile, all at once.
type Builder struct {
	name     string
	schema   *Schema
	nodes    []*builderNode // the first is Start
	byName   map[string]*builderNode
	joins    []builderJoin
	problems []string
}

type builderNode struct {
	name     string
	run      Node
	policy   Policy
	child    *Plan
	static   []string
	branches []builderBranch
	expiry   string // where to go when a question expires; "" if the node is to see it
}

type builderBranch struct {
	pick    func(State) string
	route   Router
	targets []string
}

type builderJoin struct {
	target  string
	sources []string
}

// New begins a graph on a schema. The name is for errors, events and drawings.
func New(name string, schema *Schema) *Builder {
	b := &Builder{name: name, schema: schema, byName: map[string]*builderNode{}}
	b.insert(&builderNode{name: Start})
	return b
}

func (b *Builder) problem(format string, args ...any) {
	b.problems = append(b.problems, fmt.Sprintf(format, args...))
}

func (b *Builder) insert(n *builderNode) {
	if b.byName[n.name] != nil {
		b.problem("node %q is declared twice", n.name)
		return
	}
	b.byName[n.name] = n
	b.nodes = append(b.nodes, n)
}

// Node adds a node.
func (b *Builder) Node(name string, run Node, policy Policy) {
	switch {
	case !channelName.MatchString(name) || name == Start || name == End:
		b.problem("node name %q is not of the form [a-zA-Z_][a-zA-Z0-9_.-]*, or is reserved", name)
	case run == nil:
		b.problem("node %q has no function", name)
	}
	b.insert(&builderNode{name: name, run: run, policy: policy})
}

// Edge makes to run after from. Edges from one node to several start them side
// by side.
func (b *Builder) Edge(from, to string) {
	if n := b.source(from, "edge"); n != nil {
		n.static = append(n.static, to)
	}
}

// Switch makes the target that pick names run after from.
func (b *Builder) Switch(from string, pick func(State) string, targets ...string) {
	b.branch(from, builderBranch{pick: pick, targets: targets}, pick == nil)
}

// Branch makes the targets that route sends to run after from, side by side.
func (b *Builder) Branch(from string, route Router, targets ...string) {
	b.branch(from, builderBranch{route: route, targets: targets}, route == nil)
}

func (b *Builder) branch(from string, br builderBranch, empty bool) {
	if empty || len(br.targets) == 0 {
		b.problem("branch from %q needs a function and its possible targets", from)
	}
	if n := b.source(from, "branch"); n != nil {
		n.branches = append(n.branches, br)
	}
}

func (b *Builder) source(from, what string) *builderNode {
	n := b.byName[from]
	if n == nil {
		b.problem("%s from unknown node %q: declare nodes before their edges", what, from)
	}
	return n
}

// Join makes target run when all sources have run since its last run, at any path lengths. After a fan-out whose
// tasks all run in the same super-step an Edge is enough.
func (b *Builder) Join(target string, sources ...string) {
	b.joins = append(b.joins, builderJoin{target, sources})
}
