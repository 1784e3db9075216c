package workflow

import (
	"fmt"
	"slices"
	"strings"
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
		v.found.add(StageValidate, "/edges", fmt.Sprintf(`add {"source": %q, "target": …}`, start), "no edge leads out of start")
		return
	}
	fromStart := reach([]string{start}, v.out)
	toEnd := reach(ends, v.in)
	for i, n := range v.d.Nodes {
		at := fmt.Sprintf("/nodes/%d", i)
		switch {
		case len(v.out[n.ID]) == 0 && len(v.in[n.ID]) == 0:
			v.found.add(StageValidate, at, "connect it, or remove it", "%q is isolated: no edge touches it", n.ID)
		case !fromStart[n.ID]:
			v.found.add(StageValidate, at, "connect it, or remove it", "%q cannot be reached from start", n.ID)
		case !toEnd[n.ID]:
			v.found.add(StageValidate, at, "lead it on to an end", "no path leads from %q to an end", n.ID)
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
	endless := cycles(v.d.Nodes, forced)
	for _, cycle := range endless {
		v.found.add(StageValidate, v.pointer(cycle[0]), "put a node with several ports into the loop, such as iteration_gate or conditional",
			"%q is in a loop that nothing ends: %s", cycle[0], strings.Join(cycle, ", "))
	}
	if len(endless) > 0 || v.d.MaxIterations > 0 {
		return
	}
	for _, cycle := range cycles(v.d.Nodes, uncounted) {
		v.found.warn(StageValidate, v.pointer(cycle[0]), "put an iteration_gate into it, or set max_iterations",
			"only max_iterations (%d) bounds the loop %s", defaultIterations, strings.Join(cycle, ", "))
	}
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

// cycles returns the strongly connected parts of a graph that hold a cycle,
// their nodes in the order of the text.
func cycles(nodes []Node, next map[string][]string) [][]string {
	back := map[string][]string{}
	for from, targets := range next {
		for _, t := range targets {
			back[t] = append(back[t], from)
		}
	}
	var out [][]string
	taken, inner := map[string]bool{}, inside(nodes, next, back)
	for _, n := range nodes {
		if taken[n.ID] || !inner[n.ID] {
			continue
		}
		ahead := reach(next[n.ID], next)
		if !ahead[n.ID] {
			continue
		}
		behind := reach([]string{n.ID}, back)
		var part []string
		for _, m := range nodes {
			if ahead[m.ID] && behind[m.ID] {
				taken[m.ID] = true
				part = append(part, m.ID)
			}
		}
		out = append(out, part)
	}
	return out
}

// inside returns the nodes that have a way on to a cycle: what is left when ends
// are taken off as long as there are any. Where nothing is left there is no
// cycle to search for.
func inside(nodes []Node, next, back map[string][]string) map[string]bool {
	left, onward := map[string]bool{}, map[string]int{}
	var ends []string
	for _, n := range nodes {
		left[n.ID] = true
		if onward[n.ID] = len(next[n.ID]); onward[n.ID] == 0 {
			ends = append(ends, n.ID)
		}
	}
	for len(ends) > 0 {
		id := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		delete(left, id)
		for _, from := range back[id] {
			if onward[from]--; onward[from] == 0 {
				ends = append(ends, from)
			}
		}
	}
	return left
}

func reach(from []string, edges map[string][]string) map[string]bool {
	from = slices.Clone(from)
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
			v.found.add(StageWire, at, "use "+strings.Join(v.mappable(), ", "), "type %q cannot take the items of a map", body.Type)
		}
		if len(v.in[body.ID]) != 1 {
			v.found.add(StageWire, at, "give the map a body of its own", "%q is also reached without an item", body.ID)
		}
		for _, next := range v.out[body.ID] {
			if v.d.Nodes[v.index[next]].Type != TypeJoin {
				v.found.add(StageWire, at, "put a node of type join between them", "%q hands its results to %q, which is no join", body.ID, next)
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
