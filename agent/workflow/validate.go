package workflow

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"maru/phrase"
	"maru/phrase/fit"
)

var nodeID = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`)

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
			v.found.add(StageValidate, "/"+m.name, phrase.Of("definition.empty.do"), "definition.empty")
		}
	}
	if v.d.ID != "" && !nodeID.MatchString(v.d.ID) {
		v.found.add(StageValidate, "/id", phrase.Of("definition.bad_id.do_name"), "definition.bad_id", v.d.ID)
	}
	if v.d.MaxIterations < 0 || v.d.MaxIterations > 10000 {
		v.found.add(StageValidate, "/max_iterations", phrase.Of("definition.iterations.do"), "definition.iterations")
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
				v.found.add(StageValidate, at+"/config", phrase.Of("definition.leave_out"), "definition.no_config", n.Type)
			}
			continue
		}
		if t, known := v.r.Type(n.Type); known {
			v.config(at, n, t)
			continue
		}
		hint := phrase.Of("definition.known_types", strings.Join(v.r.Names(), ", "))
		if n.Type == "" {
			v.found.add(StageResolve, at+"/node_type", hint, "definition.no_type", n.ID)
			continue
		}
		if near := v.r.nearest(n.Type); len(near) > 0 {
			hint = meant(near)
		}
		v.found.add(StageResolve, at+"/node_type", hint, "definition.unknown_type", n.Type)
	}
	v.loose = v.loose || count[TypeStart] != 1 || count[TypeEnd] == 0
	if count[TypeStart] != 1 {
		v.found.add(StageValidate, "/nodes", phrase.Of("definition.starts.do"), "definition.starts", count[TypeStart])
	}
	if count[TypeEnd] == 0 {
		v.found.add(StageValidate, "/nodes", phrase.Of("definition.no_end.do"), "definition.no_end")
	}
}

func (v *validator) id(at string, i int, id string) {
	if !nodeID.MatchString(id) {
		v.found.add(StageValidate, at+"/id", phrase.Of("definition.bad_id.do_label"), "definition.bad_id", id)
	}
	if first, twice := v.index[id]; twice {
		v.loose = true
		v.found.add(StageValidate, at+"/id", phrase.Of("definition.twice_id.do"), "definition.twice_id", id, first)
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
		v.found.add(StageValidate, at+"/retry/attempts", phrase.Of("definition.attempts.do"), "definition.attempts", maxAttempts)
	}
	v.duration(at+"/retry/wait", p.Retry.Wait)
	v.duration(at+"/retry/max_wait", p.Retry.MaxWait)
}

func (v *validator) duration(at, text string) {
	if text == "" {
		return
	}
	if d, err := time.ParseDuration(text); err != nil || d <= 0 || d > maxTimeout {
		v.found.add(StageValidate, at, phrase.Of("definition.duration.do"), "definition.duration", text)
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
		v.found.add(StageValidate, at+"/config", phrase.Of("definition.see_nodes"), "definition.unchecked", err)
	}
	for _, e := range errs {
		hint := e.told.does
		if hint.Empty() {
			hint = phrase.Of("definition.see_type", t.Name)
		}
		v.found.say(StageValidate, at+"/config"+e.Pointer, hint, e.told.says)
	}
}

func (v *validator) edges() {
	v.out, v.in = map[string][]string{}, map[string][]string{}
	seen := map[Edge]int{}
	for i, e := range v.d.Edges {
		at := fmt.Sprintf("/edges/%d", i)
		if first, twice := seen[e]; twice && e.Source != "" {
			v.found.add(StageValidate, at, phrase.Of("definition.same_edge.do"), "definition.same_edge", first)
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
			v.found.add(StageValidate, at+"/source", phrase.Of("definition.out_of_end.do"), "definition.out_of_end")
		}
		if v.d.Nodes[dst].Type == TypeStart {
			v.found.add(StageValidate, at+"/target", phrase.Of("definition.into_start.do"), "definition.into_start")
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
		hint := phrase.Of("definition.node_ids", fit.Clip(strings.Join(ids, ", "), 300))
		if near := Nearest(id, ids); len(near) > 0 {
			hint = meant(near)
		}
		v.found.add(StageValidate, at, hint, "definition.no_node", id)
	}
	return i, ok
}

func (v *validator) port(at string, e Edge, n Node) {
	t, ok := v.r.Type(n.Type)
	if !ok {
		if e.Port != "" && (n.Type == TypeStart || n.Type == TypeEnd) {
			v.found.add(StageValidate, at+"/source_port", phrase.Of("definition.leave_out"), "definition.no_ports", n.Type)
		}
		return
	}
	ports := t.ports(n)
	hint := phrase.Of("definition.ports_of", t.Name, strings.Join(ports, ", "))
	switch {
	case len(ports) == 0 && e.Port != "":
		v.found.add(StageValidate, at+"/source_port", phrase.Of("definition.leave_out"), "definition.no_ports", t.Name)
	case len(ports) > 0 && e.Port == "":
		v.found.add(StageValidate, at+"/source_port", hint, "definition.name_a_port")
	case len(ports) > 0 && !slices.Contains(ports, e.Port):
		if near := Nearest(e.Port, ports); len(near) > 0 {
			hint = phrase.Join(" ", meant(near), hint)
		}
		v.found.add(StageValidate, at+"/source_port", hint, "definition.no_port", t.Name, e.Port)
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
				v.found.add(StageValidate, fmt.Sprintf("/nodes/%d", i), phrase.Of("definition.port_nowhere.do", n.ID, p), "definition.port_nowhere", p, n.ID)
			}
		}
	}
}
