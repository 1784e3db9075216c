package workflow

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var nodeID = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`)

// Validate checks a definition against a registry and returns every problem it
// finds, warnings included, in the order of the text.
func Validate(d Definition, r *Registry) Problems {
	v := validator{d: d, r: r, index: map[string]int{}}
	v.identity()
	v.nodes()
	v.edges()
	if v.found.err() == nil { // paths mean nothing while ends are missing
		v.paths()
		v.loops()
	}
	return v.found
}

type validator struct {
	d     Definition
	r     *Registry
	found Problems
	index map[string]int // node id to position
	out   map[string][]string
	in    map[string][]string
}

func (v *validator) identity() {
	for _, m := range []struct{ name, value string }{{"id", v.d.ID}, {"name", v.d.Name}, {"version", v.d.Version}} {
		if strings.TrimSpace(m.value) == "" {
			v.found.add("/"+m.name, "", "must not be empty")
		}
	}
	if v.d.MaxIterations < 0 {
		v.found.add("/max_iterations", "leave it out for 50", "must not be negative")
	}
}

func (v *validator) nodes() {
	count := map[string]int{}
	for i, n := range v.d.Nodes {
		at := fmt.Sprintf("/nodes/%d", i)
		if !nodeID.MatchString(n.ID) {
			v.found.add(at+"/id", "letters, digits, _ . -, beginning with a letter or _, at most 64", "%q cannot be an id", n.ID)
		} else if first, twice := v.index[n.ID]; twice {
			v.found.add(at+"/id", "", "%q is the id of /nodes/%d already", n.ID, first)
		} else {
			v.index[n.ID] = i
		}
		count[n.Type]++
		if n.Type == TypeStart || n.Type == TypeEnd {
			continue
		}
		t, known := v.r.Type(n.Type)
		if !known {
			hint := "known types: " + strings.Join(v.r.Names(), ", ")
			if near := v.r.nearest(n.Type); len(near) > 0 {
				hint = "did you mean " + strings.Join(near, " or ") + "?"
			}
			v.found.add(at+"/node_type", hint, "unknown type %q", n.Type)
			continue
		}
		v.config(at, n, t)
	}
	if count[TypeStart] != 1 {
		v.found.add("/nodes", "", "has %d nodes of type start, must have exactly one", count[TypeStart])
	}
	if count[TypeEnd] == 0 {
		v.found.add("/nodes", "", "has no node of type end")
	}
}

// config checks a node's config against its type's schema.
func (v *validator) config(at string, n Node, t Type) {
	config := n.Config
	if len(config) == 0 {
		config = []byte("{}")
	}
	schema := t.Config
	if len(schema) == 0 {
		schema = []byte(`{"type":"object","maxProperties":0}`)
	}
	errs, err := checkSchema(schema, config)
	if err != nil {
		v.found.add(at+"/config", "", "cannot be checked: %v", err)
	}
	for _, e := range errs {
		v.found.add(at+"/config"+e.Pointer, "", "%s", e.Message)
	}
}

// checkSchema returns what is wrong with a JSON value by a JSON Schema.
func checkSchema(schema, value []byte) ([]Problem, error) {
	s, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", s); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return nil, err
	}
	return flatten(compiled.Validate(doc)), nil
}

// flatten returns the leaves of a validation error.
func flatten(err error) []Problem {
	ve, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // the library returns it unwrapped
	if !ok {
		if err == nil {
			return nil
		}
		return []Problem{{Message: err.Error()}}
	}
	if len(ve.Causes) == 0 {
		pointer := ""
		for _, p := range ve.InstanceLocation {
			pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(p)
		}
		msg := ve.Error()
		if i := strings.Index(msg, "': "); i >= 0 {
			msg = msg[i+3:]
		}
		return []Problem{{Pointer: pointer, Message: msg}}
	}
	var out []Problem
	for _, c := range ve.Causes {
		out = append(out, flatten(c)...)
	}
	return out
}

func (v *validator) edges() {
	v.out, v.in = map[string][]string{}, map[string][]string{}
	seen := map[Edge]int{}
	for i, e := range v.d.Edges {
		at := fmt.Sprintf("/edges/%d", i)
		if first, twice := seen[e]; twice {
			v.found.add(at, "", "is the same as /edges/%d", first)
			continue
		}
		seen[e] = i
		src, okS := v.index[e.Source]
		dst, okD := v.index[e.Target]
		if !okS {
			v.found.add(at+"/source", "", "no node has the id %q", e.Source)
		}
		if !okD {
			v.found.add(at+"/target", "", "no node has the id %q", e.Target)
		}
		if !okS || !okD {
			continue
		}
		if v.d.Nodes[src].Type == TypeEnd {
			v.found.add(at+"/source", "", "an end has no way out")
		}
		if v.d.Nodes[dst].Type == TypeStart {
			v.found.add(at+"/target", "", "nothing leads into start")
		}
		v.port(at, e, v.d.Nodes[src])
		v.out[e.Source] = append(v.out[e.Source], e.Target)
		v.in[e.Target] = append(v.in[e.Target], e.Source)
	}
	v.unusedPorts()
}

func (v *validator) port(at string, e Edge, n Node) {
	t, ok := v.r.Type(n.Type)
	if !ok {
		if e.Port != "" && (n.Type == TypeStart || n.Type == TypeEnd) {
			v.found.add(at+"/source_port", "", "%s has no named ports", n.Type)
		}
		return
	}
	switch {
	case len(t.Ports) == 0 && e.Port != "":
		v.found.add(at+"/source_port", "leave it out", "type %s has no named ports", t.Name)
	case len(t.Ports) > 0 && e.Port == "":
		v.found.add(at+"/source_port", "ports of "+t.Name+": "+strings.Join(t.Ports, ", "), "must name a port")
	case len(t.Ports) > 0 && !slices.Contains(t.Ports, e.Port):
		v.found.add(at+"/source_port", "ports of "+t.Name+": "+strings.Join(t.Ports, ", "), "type %s has no port %q", t.Name, e.Port)
	}
}

// unusedPorts finds ports that lead nowhere: a run that leaves through one would
// have no next node.
func (v *validator) unusedPorts() {
	for i, n := range v.d.Nodes {
		t, ok := v.r.Type(n.Type)
		if !ok {
			continue
		}
		for _, p := range t.Ports {
			if !slices.ContainsFunc(v.d.Edges, func(e Edge) bool { return e.Source == n.ID && e.Port == p }) {
				v.found.add(fmt.Sprintf("/nodes/%d", i), "", "port %q of %q leads nowhere", p, n.ID)
			}
		}
	}
}

// paths finds nodes that no run reaches and nodes from which none ends.
func (v *validator) paths() {
	var start string
	var ends []string
	for _, n := range v.d.Nodes {
		switch n.Type {
		case TypeStart:
			start = n.ID
		case TypeEnd:
			ends = append(ends, n.ID)
		}
	}
	if len(v.out[start]) == 0 {
		v.found.add("/edges", "", "no edge leads out of start")
		return
	}
	fromStart := reach([]string{start}, v.out)
	toEnd := reach(ends, v.in)
	for i, n := range v.d.Nodes {
		at := fmt.Sprintf("/nodes/%d", i)
		switch {
		case !fromStart[n.ID]:
			v.found.add(at, "connect it, or remove it", "%q cannot be reached from start", n.ID)
		case !toEnd[n.ID]:
			v.found.add(at, "", "no path leads from %q to an end", n.ID)
		}
	}
}

// loops finds cycles without a way to decide: all of their nodes have one port,
// so a run inside would never leave.
func (v *validator) loops() {
	for i, n := range v.d.Nodes {
		if !v.turnsForEver(n.ID) {
			continue
		}
		v.found.add(fmt.Sprintf("/nodes/%d", i), "put a node with several ports into the loop", "%q is in a loop that nothing ends", n.ID)
	}
}

// turnsForEver follows the only ways out of nodes and reports whether they come
// back to id.
func (v *validator) turnsForEver(id string) bool {
	at := id
	for range v.d.Nodes {
		next := v.out[at]
		if t, ok := v.r.Type(v.d.Nodes[v.index[at]].Type); len(next) != 1 || (ok && len(t.Ports) > 1) {
			return false
		}
		if at = next[0]; at == id {
			return true
		}
	}
	return false
}

func reach(from []string, edges map[string][]string) map[string]bool {
	seen := map[string]bool{}
	for len(from) > 0 {
		id := from[len(from)-1]
		from = from[:len(from)-1]
		if !seen[id] {
			seen[id] = true
			from = append(from, edges[id]...)
		}
	}
	return seen
}
