package workflow

import (
	"fmt"
	"slices"
	"strings"

	"maru/phrase"
)

// unanswered warns of every way from start to an end on which nothing writes a
// channel in which a turn's answer stands. A workflow that runs inside another is
// free to hand over its result otherwise.
func (c *compiler) unanswered() {
	if len(c.r.answer) == 0 || len(c.above) > 0 {
		return
	}
	from := map[string]int{} // by which edge a node is reached first; -1 of start
	ends := map[string]bool{}
	var todo []string
	for _, n := range c.d.Nodes {
		switch n.Type {
		case TypeStart:
			from[n.ID] = -1
			todo = append(todo, n.ID)
		case TypeEnd:
			ends[n.ID] = true
		}
	}
	for ; len(todo) > 0; todo = todo[1:] {
		for k, e := range c.d.Edges {
			_, been := from[e.Target]
			switch {
			case e.Source != todo[0]:
			case ends[e.Target]:
				c.found.Warn(StageWire, fmt.Sprintf("/edges/%d", k), phrase.Of("definition.no_answer.do", c.r.answer[0]),
					"definition.no_answer", c.way(k, from))
			case !been && !c.answers(e.Target):
				from[e.Target] = k
				todo = append(todo, e.Target)
			}
		}
	}
}

// answers reports whether a node may write an answer. Of one that could not be
// made that is not known.
func (c *compiler) answers(id string) bool {
	b, made := c.bound[id]
	return !made || slices.ContainsFunc(b.Writes, func(ch string) bool { return slices.Contains(c.r.answer, ch) })
}

// way writes the nodes that lead over an edge, from start on.
func (c *compiler) way(edge int, from map[string]int) string {
	parts := []string{c.d.Edges[edge].Target}
	for k := edge; k >= 0; k = from[c.d.Edges[k].Source] {
		e := c.d.Edges[k]
		step := e.Source
		if e.Port != "" {
			step += " (" + e.Port + ")"
		}
		parts = append(parts, step)
	}
	slices.Reverse(parts)
	return strings.Join(parts, " → ")
}
