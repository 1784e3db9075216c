package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"maru/phrase/fit"
)

var nodeID = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`)

// idHint says what an id may be.
const idHint = "letters of a to z, digits, _ . -, beginning with a letter or _, at most 64"

// Validate checks a definition against a registry and returns every problem it
// finds, warnings included. It needs no channels: [Check] does more.
func Validate(d Definition, r *Registry) Problems { return validate(d, r).found }

func validate(d Definition, r *Registry) validator {
	v := validator{d: d.plain(r), r: r, index: map[string]int{}}
	v.identity()
	v.triggers()
	v.nodes()
	v.edges()
	if !v.loose { // paths mean nothing while ends are missing
		v.paths()
		v.loops()
		v.maps()
	}
	return v
}

// portDefault is how the seeds' definitions name the only way out of a node.
const portDefault = "default"

// plain returns the definition with [portDefault] left out where a node has no named ports.
func (d Definition) plain(r *Registry) Definition {
	named := map[string]bool{}
	for _, n := range d.Nodes {
		t, known := r.Type(n.Type)
		named[n.ID] = known && len(t.ports(n)) > 0
	}
	d.Edges = slices.Clone(d.Edges)
	for i, e := range d.Edges {
		if e.Port == portDefault && !named[e.Source] {
			d.Edges[i].Port = ""
		}
	}
	return d
}

type validator struct {
	d     Definition
	r     *Registry
	found Problems
	index map[string]int // node id to position
	out   map[string][]string
	in    map[string][]string
	loose bool // nodes or edges do not fit together
}

func (v *validator) identity() {
	for _, m := range []struct{ name, value string }{{"id", v.d.ID}, {"name", v.d.Name}, {"version", v.d.Version}} {
		if strings.TrimSpace(m.value) == "" {
			v.found.add(StageValidate, "/"+m.name, "give it a word", "must not be empty")
		}
	}
	if v.d.ID != "" && !nodeID.MatchString(v.d.ID) {
		v.found.add(StageValidate, "/id", idHint+"; people read its name", "%q cannot be an id", v.d.ID)
	}
	if v.d.MaxIterations < 0 || v.d.MaxIterations > 10000 {
		v.found.add(StageValidate, "/max_iterations", "leave it out for 50", "must be between 0 and 10000")
	}
}

func (v *validator) nodes() {
	count := map[string]int{}
	for i, n := range v.d.Nodes {
		at := fmt.Sprintf("/nodes/%d", i)
		v.id(at, i, n.ID)
		count[n.Type]++
		v.policy(at+"/policy", n.Policy)
		if n.Type == TypeStart || n.Type == TypeEnd {
			if len(n.Config) > 0 && string(n.Config) != "{}" {
				v.found.add(StageValidate, at+"/config", "leave it out", "%s takes no config", n.Type)
			}
			continue
		}
		if t, known := v.r.Type(n.Type); known {
			v.config(at, n, t)
			continue
		}
		hint := "known types: " + strings.Join(v.r.Names(), ", ")
		if n.Type == "" {
			v.found.add(StageResolve, at+"/node_type", hint, "%q has no node_type", n.ID)
			continue
		}
		if near := v.r.nearest(n.Type); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		v.found.add(StageResolve, at+"/node_type", hint, "unknown type %q", n.Type)
	}
	v.loose = v.loose || count[TypeStart] != 1 || count[TypeEnd] == 0
	if count[TypeStart] != 1 {
		v.found.add(StageValidate, "/nodes", `add or remove a node with "node_type": "start"`, "has %d nodes of type start, must have exactly one", count[TypeStart])
	}
	if count[TypeEnd] == 0 {
		v.found.add(StageValidate, "/nodes", `add {"id": "end", "node_type": "end"}`, "has no node of type end")
	}
}

func (v *validator) id(at string, i int, id string) {
	if !nodeID.MatchString(id) {
		v.found.add(StageValidate, at+"/id", idHint+"; people read its label", "%q cannot be an id", id)
	}
	if first, twice := v.index[id]; twice {
		v.loose = true
		v.found.add(StageValidate, at+"/id", "give each node an id of its own", "%q is the id of /nodes/%d already", id, first)
	} else {
		v.index[id] = i
	}
}

// The bounds of a node's policy.
const (
	maxAttempts = 10
	maxTimeout  = time.Hour
)

func (v *validator) policy(at string, p *Policy) {
	if p == nil {
		return
	}
	v.duration(at+"/timeout", p.Timeout)
	if p.Retry == nil {
		return
	}
	if p.Retry.Attempts < 1 || p.Retry.Attempts > maxAttempts {
		v.found.add(StageValidate, at+"/retry/attempts", "3 is usual", "must be between 1 and %d", maxAttempts)
	}
	v.duration(at+"/retry/wait", p.Retry.Wait)
	v.duration(at+"/retry/max_wait", p.Retry.MaxWait)
}

func (v *validator) duration(at, text string) {
	if text == "" {
		return
	}
	if d, err := time.ParseDuration(text); err != nil || d <= 0 || d > maxTimeout {
		v.found.add(StageValidate, at, `such as "500ms", "30s" or "2m"`, "%q is not a duration between 1ns and 1h", text)
	}
}

// config checks a node's config against its type's schema.
func (v *validator) config(at string, n Node, t Type) {
	config := n.Config
	if len(config) == 0 {
		config = []byte("{}")
	}
	errs, err := v.r.check(t.Name, config)
	if err != nil {
		v.found.add(StageValidate, at+"/config", "see docs/nodes.md", "cannot be checked: %v", err)
	}
	for _, e := range errs {
		hint := e.Hint
		if hint == "" {
			hint = "see " + t.Name + " in docs/nodes.md"
		}
		v.found.add(StageValidate, at+"/config"+e.Pointer, hint, "%s", e.Message)
	}
}

func (v *validator) edges() {
	v.out, v.in = map[string][]string{}, map[string][]string{}
	seen := map[Edge]int{}
	for i, e := range v.d.Edges {
		at := fmt.Sprintf("/edges/%d", i)
		if first, twice := seen[e]; twice {
			v.found.add(StageValidate, at, "remove one of them", "is the same as /edges/%d", first)
			continue
		}
		seen[e] = i
		src, okS := v.end(at+"/source", e.Source)
		dst, okD := v.end(at+"/target", e.Target)
		if !okS || !okD {
			v.loose = true
			continue
		}
		if v.d.Nodes[src].Type == TypeEnd {
			v.found.add(StageValidate, at+"/source", "lead to the end, not out of it", "an end has no way out")
		}
		if v.d.Nodes[dst].Type == TypeStart {
			v.found.add(StageValidate, at+"/target", "lead to the node after start", "nothing leads into start")
		}
		v.port(at, e, v.d.Nodes[src])
		v.out[e.Source] = append(v.out[e.Source], e.Target)
		v.in[e.Target] = append(v.in[e.Target], e.Source)
	}
	v.unusedPorts()
}

// end looks up the node at one end of an edge.
func (v *validator) end(at, id string) (int, bool) {
	i, ok := v.index[id]
	if !ok {
		var ids []string
		for _, n := range v.d.Nodes {
			if !slices.Contains(ids, n.ID) { // two nodes may have one, which is told besides
				ids = append(ids, n.ID)
			}
		}
		hint := "ids of nodes: " + fit.Clip(strings.Join(ids, ", "), 300)
		if near := Nearest(id, ids); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "?"
		}
		v.found.add(StageValidate, at, hint, "no node has the id %q", id)
	}
	return i, ok
}

func (v *validator) port(at string, e Edge, n Node) {
	t, ok := v.r.Type(n.Type)
	if !ok {
		if e.Port != "" && (n.Type == TypeStart || n.Type == TypeEnd) {
			v.found.add(StageValidate, at+"/source_port", "leave it out", "%s has no named ports", n.Type)
		}
		return
	}
	ports := t.ports(n)
	hint := "ports of " + t.Name + ": " + strings.Join(ports, ", ")
	switch {
	case len(ports) == 0 && e.Port != "":
		v.found.add(StageValidate, at+"/source_port", "leave it out", "type %s has no named ports", t.Name)
	case len(ports) > 0 && e.Port == "":
		v.found.add(StageValidate, at+"/source_port", hint, "must name a port")
	case len(ports) > 0 && !slices.Contains(ports, e.Port):
		if near := Nearest(e.Port, ports); len(near) > 0 {
			hint = "did you mean " + strings.Join(near, " or ") + "? " + hint
		}
		v.found.add(StageValidate, at+"/source_port", hint, "type %s has no port %q", t.Name, e.Port)
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
		for _, p := range t.ports(n) {
			if p == t.Expiry { // the node itself knows what to do then
				continue
			}
			if !slices.ContainsFunc(v.d.Edges, func(e Edge) bool { return e.Source == n.ID && e.Port == p }) {
				v.found.add(StageValidate, fmt.Sprintf("/nodes/%d", i), fmt.Sprintf(`add {"source": %q, "source_port": %q, "target": …}`, n.ID, p), "port %q of %q leads nowhere", p, n.ID)
			}
		}
	}
}
