package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/phrase/fit"
	"maru/phrase/slip"
)

// Type is a type of node that definitions are written with.
type Type struct {
	Name    string
	Summary string          // one line for docs and editors
	Doc     string          // more for docs/nodes.md, may be ""
	Ports   []string        // output ports; none means a single one that needs no name
	Config  json.RawMessage // JSON Schema of the node's config; nil: it takes none
	Reads   []string        // channels it reads
	Writes  []string        // channels it writes
	// Bounded says that the type itself ends a loop in the end, by counting.
	Bounded bool
	// Mappable says that the type can be the body of a map.
	Mappable bool
	// PortsOf gives the ports of types whose config names them; nil: Ports.
	PortsOf func(config json.RawMessage) []string
	// Expiry is the port that leads on when nobody answered a question of the
	// node in time; the node then does not run again. A definition may leave it
	// unconnected: the node runs and sees the expiry itself. "" for types that
	// have no such port.
	Expiry string

	// Tools tells which tools a node with this config may call: those of these
	// names, or any that the run has. nil: any. See [Toolless].
	Tools func(config json.RawMessage) (names []string, all bool)

	// Bind makes a node of the type with this config, which fits Config. A type
	// has either Bind or Make.
	Bind func(config json.RawMessage) (Bound, error)
	// Make is Bind for types that need to know their place.
	Make func(Place) (Bound, error)
}

// Place is the node that a type is bound for.
type Place struct {
	Node   string // its id
	Config json.RawMessage
	Schema *graph.Schema // the channels of the workflow
}

// Bound is a node that can run.
type Bound struct {
	Run graph.Node
	// Route chooses the output port after Run; nil for types with one port.
	Route func(context.Context, graph.State) string
	// Spread sends a task for each item to the targets of the port it names,
	// side by side; nil: Route decides. No items: the empty port is taken.
	Spread func(context.Context, graph.State) (port string, items []any, empty string, err error)
	// Concurrency bounds the tasks that Spread sends to one node and that run at
	// once; 0 means only the graph's bound.
	Concurrency int
	// Writes are the channels that it writes with this config; nil: as its type
	// says.
	Writes []string
	// Gives are the state values that are in the state after it ran and that Writes does not name: members of
	// metadata, as metadata.NAME.
	Gives []string
	// Needs are the state values without which an expression of the config fails.
	Needs []Need
	// Mistyped are the faults of the config on the types of what it reads, each a [ConfigError]. The node runs nevertheless:
	// a comparison of two types is false, a condition that fails counts as false. See [Problems.Stored].
	Mistyped []error
	// Wait makes the node wait for all of its sources.
	Wait bool
	// Child is the id of another workflow that the node runs; Run is then nil.
	Child   string
	Mapping graph.Mapping
	Policy  graph.Policy // Writes is filled in
}

// bind makes a node of the type.
func (t Type) bind(p Place) (Bound, error) {
	if len(p.Config) == 0 {
		p.Config = json.RawMessage("{}")
	}
	if t.Make != nil {
		return t.Make(p)
	}
	return t.Bind(p.Config)
}

// ports returns the output ports of a node of this type.
func (t Type) ports(n Node) []string {
	if t.PortsOf == nil {
		return t.Ports
	}
	if len(n.Config) == 0 {
		return t.PortsOf(json.RawMessage("{}"))
	}
	return t.PortsOf(n.Config)
}

// Execute is what a node of a type does: it reads the state, uses what the run
// has at hand, and returns what is to be written.
type Execute[C any] func(ctx context.Context, s graph.State, x *Exec, config C) ([]graph.Write, error)

// Define completes a type whose nodes are an Execute function with its config,
// and a routing function if the type has several ports.
func Define[C any](t Type, execute Execute[C], route func(s graph.State, config C) string) Type {
	t.Make = func(p Place) (Bound, error) {
		var c C
		if err := llm.StrictJSON(p.Config, &c); err != nil {
			return Bound{}, fmt.Errorf("config: %w", err)
		}
		b := Bound{Run: func(ctx context.Context, s graph.State) ([]graph.Write, error) {
			return execute(ctx, s, ExecOf(s), c)
		}}
		if route != nil {
			b.Route = func(_ context.Context, s graph.State) string { return route(s, c) }
		}
		return b, nil
	}
	return t
}

// Registry knows the types that definitions may use. It is filled explicitly
// and does not change afterwards.
type Registry struct {
	types  map[string]Type
	answer []string                            // channels, see Answering
	checks map[string]func() (*checker, error) // of configs, made when first needed
}

// NewRegistry returns a registry of these types. It panics when two have one
// name, which is a mistake of the wiring.
func NewRegistry(types ...Type) *Registry {
	r := &Registry{types: make(map[string]Type, len(types)), checks: make(map[string]func() (*checker, error), len(types))}
	for _, t := range types {
		if _, twice := r.types[t.Name]; twice || t.Name == TypeStart || t.Name == TypeEnd {
			panic(fmt.Sprintf("workflow: type %q is registered twice or reserved", t.Name))
		}
		r.types[t.Name] = t
		schema := t.Config
		if len(schema) == 0 {
			schema = []byte(`{"type":"object","maxProperties":0}`)
		}
		r.checks[t.Name] = sync.OnceValues(func() (*checker, error) { return newChecker(schema) })
	}
	return r
}

// Answering sets the channels that hold the answer of a turn, so that paths to the end that write none of them are
// reported. It returns the registry.
func (r *Registry) Answering(channels ...string) *Registry {
	r.answer = channels
	return r
}

// check returns what is wrong with the config of a node of a registered type.
func (r *Registry) check(name string, config []byte) ([]Problem, error) {
	c, err := r.checks[name]()
	if err != nil {
		return nil, err
	}
	return c.problems(config)
}

// Type returns the type of that name.
func (r *Registry) Type(name string) (Type, bool) {
	t, ok := r.types[name]
	return t, ok
}

// Names returns the names of all types, sorted.
func (r *Registry) Names() []string { return slices.Sorted(maps.Keys(r.types)) }

// nearest returns the registered names that name was probably meant to be.
func (r *Registry) nearest(name string) []string {
	return Nearest(name, append(r.Names(), TypeStart, TypeEnd))
}

// Nearest returns the candidates that name was probably meant to be, at most
// three.
func Nearest(name string, candidates []string) []string {
	name = fit.Clip(name, 64) // a stranger's name may be long
	var near []string
	best := len(name)/2 + 1
	for _, candidate := range candidates {
		switch d := slip.Count([]rune(name), []rune(candidate), best+1); {
		case d < best:
			best, near = d, []string{candidate}
		case d == best && len(near) > 0 && len(near) < 3:
			near = append(near, candidate)
		}
	}
	return near
}
