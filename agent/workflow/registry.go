package workflow

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"maru/agent/graph"
)

// Type is a type of node that definitions are written with.
type Type struct {
	Name    string
	Summary string          // one line for docs and editors
	Ports   []string        // output ports; none means a single one that needs no name
	Config  json.RawMessage // JSON Schema of the node's config; nil: it takes none
	Reads   []string        // channels it reads
	Writes  []string        // channels it writes
	// Bind makes a node of the type with this config, which fits Config.
	Bind func(config json.RawMessage) (Bound, error)
}

// Bound is a node that can run.
type Bound struct {
	Run graph.Node
	// Route chooses the output port after Run; nil for types with one port.
	Route  func(graph.State) string
	Policy graph.Policy // Writes is filled from the type
}

// Registry knows the types that definitions may use. It is filled explicitly
// and does not change afterwards.
type Registry struct{ types map[string]Type }

// NewRegistry returns a registry of these types. It panics when two have one
// name, which is a mistake of the wiring.
func NewRegistry(types ...Type) *Registry {
	r := &Registry{types: make(map[string]Type, len(types))}
	for _, t := range types {
		if _, twice := r.types[t.Name]; twice || t.Name == TypeStart || t.Name == TypeEnd {
			panic(fmt.Sprintf("workflow: type %q is registered twice or reserved", t.Name))
		}
		r.types[t.Name] = t
	}
	return r
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
	var near []string
	best := len(name)/2 + 1
	for _, candidate := range append(r.Names(), TypeStart, TypeEnd) {
		switch d := distance(name, candidate); {
		case d < best:
			best, near = d, []string{candidate}
		case d == best && len(near) > 0:
			near = append(near, candidate)
		}
	}
	return near
}

// distance is the Levenshtein distance of two words.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		before := row[0]
		row[0] = i + 1
		for j, s := range y {
			cost := before
			if r != s {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}
