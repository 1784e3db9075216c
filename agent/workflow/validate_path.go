package workflow

import (
	"fmt"
	"strings"

	"maru/agent/workflow/reach"
	"maru/phrase"
)

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
		v.found.add(StageValidate, "/edges", phrase.Of("definition.no_way.do", start), "definition.no_way")
		return
	}
	fromStart := reach.From([]string{start}, v.out)
	toEnd := reach.From(ends, v.in)
	for i, n := range v.d.Nodes {
		at := fmt.Sprintf("/nodes/%d", i)
		switch {
		case len(v.out[n.ID]) == 0 && len(v.in[n.ID]) == 0:
			v.found.add(StageValidate, at, phrase.Of("definition.connect"), "definition.isolated", n.ID)
		case !fromStart[n.ID]:
			v.found.add(StageValidate, at, phrase.Of("definition.connect"), "definition.unreached", n.ID)
		case !toEnd[n.ID]:
			v.found.add(StageValidate, at, phrase.Of("definition.no_path.do"), "definition.no_path", n.ID)
		}
	}
}

// loops finds cycles that nothing decides to leave: none of their nodes has
// ports that lead to different places, so a run inside never comes out. A cycle
// that can be left, but by no type that counts, is bounded by max_iterations
// alone: that is a warning where the definition does not say it.
func (v *validator) loops() {
	forced := map[string][]string{}
	uncounted := map[string][]string{}
	for _, n := range v.d.Nodes {
		t, known := v.r.Type(n.Type)
		if !known && n.Type != TypeStart {
			continue // what it would decide is not known
		}
		if !v.chooses(n.ID) {
			forced[n.ID] = v.out[n.ID]
		}
		if !t.Bounded {
			uncounted[n.ID] = v.out[n.ID]
		}
	}
	endless := reach.Cycles(v.d.ids(), forced)
	for _, cycle := range endless {
		v.found.add(StageValidate, v.pointer(cycle[0]), phrase.Of("definition.endless.do"),
			"definition.endless", cycle[0], strings.Join(cycle, ", "))
	}
	if len(endless) > 0 || v.d.MaxIterations > 0 {
		return
	}
	for _, cycle := range reach.Cycles(v.d.ids(), uncounted) {
		v.found.Warn(StageValidate, v.pointer(cycle[0]), phrase.Of("definition.uncounted.do"),
			"definition.uncounted", defaultIterations, strings.Join(cycle, ", "))
	}
}

// ids returns the ids of the nodes.
func (d Definition) ids() []string {
	out := make([]string, len(d.Nodes))
	for i, n := range d.Nodes {
		out[i] = n.ID
	}
	return out
}

func (v *validator) pointer(id string) string { return fmt.Sprintf("/nodes/%d", v.index[id]) }

// chooses reports whether the ports of a node lead to different places.
func (v *validator) chooses(id string) bool {
	first := ""
	for _, e := range v.d.Edges {
		switch {
		case e.Source != id || e.Port == "":
		case first == "":
			first = e.Port
		case e.Port != first:
			return len(dedupe(v.out[id])) > 1
		}
	}
	return false
}

// Types and ports that the compiler knows beside start and end.
const (
	TypeSub  = "sub_workflow"
	TypeMap  = "map"
	TypeJoin = "join"
	PortEach = "each"
)

// maps checks that what a map sends its items to can take one and hands its
// result to a join.
func (v *validator) maps() {
	for i, e := range v.d.Edges {
		if v.d.Nodes[v.index[e.Source]].Type != TypeMap || e.Port != PortEach {
			continue
		}
		at := fmt.Sprintf("/edges/%d/target", i)
		body := v.d.Nodes[v.index[e.Target]]
		if t, known := v.r.Type(body.Type); known && !t.Mappable {
			v.found.add(StageWire, at, phrase.Of("definition.no_items.do", strings.Join(v.mappable(), ", ")), "definition.no_items", body.Type)
		}
		if len(v.in[body.ID]) != 1 {
			v.found.add(StageWire, at, phrase.Of("definition.shared_body.do"), "definition.shared_body", body.ID)
		}
		for _, next := range v.out[body.ID] {
			if v.d.Nodes[v.index[next]].Type != TypeJoin {
				v.found.add(StageWire, at, phrase.Of("definition.needs_join.do"), "definition.needs_join", body.ID, next)
			}
		}
	}
}

func (v *validator) mappable() []string {
	var out []string
	for _, name := range v.r.Names() {
		if t, _ := v.r.Type(name); t.Mappable {
			out = append(out, name)
		}
	}
	return out
}
