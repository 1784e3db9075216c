package workflow

import (
	"slices"

	"maru/agent"
)

// Marks are the parts of its definition that a run passed, for a drawing.
type Marks struct {
	Nodes map[string]string  // a state by node: "done", "failed", "waiting" or "running"; none if it was not reached
	Edges map[[2]string]bool // edges that were followed, by source and target
}

func (m Marks) node(id string) string {
	if s := m.Nodes[id]; s != "" {
		return " been " + s
	}
	return ""
}

func (m Marks) edge(e Edge) string {
	if m.Edges[[2]string{e.Source, e.Target}] {
		return " been"
	}
	return ""
}

// MarksOf derives the marks from a run's events. Events do not name edges: an edge was followed if its target began
// after its source, and of several sources the one that ended last led there. Start and end nodes run nothing, so they
// are passed with their neighbours.
func MarksOf(d Definition, events []agent.Event) Marks {
	m := Marks{Nodes: map[string]string{}, Edges: map[[2]string]bool{}}
	into := map[string][]string{} // sources by target
	for _, e := range d.Edges {
		into[e.Target] = append(into[e.Target], e.Source)
	}
	var ended []string // in this order
	for _, n := range d.Nodes {
		if n.Type == TypeStart {
			m.Nodes[n.ID], ended = "done", append(ended, n.ID)
		}
	}
	arrive := func(node string) {
		for _, from := range slices.Backward(ended) {
			if slices.Contains(into[node], from) {
				m.Edges[[2]string{from, node}] = true
				return
			}
		}
	}
	known := map[string]bool{}
	for _, n := range d.Nodes {
		known[n.ID] = true
	}
	for _, e := range events {
		switch {
		case !known[e.Node]: // of an agent that this one ran
		case e.Kind == agent.EventNodeStart:
			if m.Nodes[e.Node] != "waiting" { // else it goes on where it was
				arrive(e.Node)
			}
			m.Nodes[e.Node] = "running"
		case e.Kind == agent.EventNodeEnd:
			m.Nodes[e.Node] = state(e)
			ended = append(ended, e.Node)
		}
	}
	if last := len(ended) - 1; last >= 0 && m.Nodes[ended[last]] == "done" {
		m.finish(d, ended[last])
	}
	return m
}

// finish marks the end that follows the last node.
func (m Marks) finish(d Definition, last string) {
	for _, e := range d.Edges {
		i := slices.IndexFunc(d.Nodes, func(n Node) bool { return n.ID == e.Target })
		if e.Source == last && i >= 0 && d.Nodes[i].Type == TypeEnd {
			m.Nodes[e.Target], m.Edges[[2]string{last, e.Target}] = "done", true
		}
	}
}

func state(e agent.Event) string {
	switch {
	case e.Err != "":
		return "failed"
	case e.Waits:
		return "waiting"
	}
	return "done"
}
