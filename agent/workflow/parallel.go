package workflow

import (
	"fmt"
	"slices"

	"maru/phrase"
)

// parallelWriters finds nodes that run in the same super-step and write a
// channel without a reducer. From every fork it walks the branches in step, two
// at a time.
func (c *compiler) parallelWriters() {
	n := len(c.d.Nodes)
	w := writers{c: c, single: map[string]bool{}, next: make([][]int, n), seen: make([]bool, n*n)}
	for _, ch := range c.schema.Channels() {
		if ch.Kind == "last" {
			w.single[ch.Name] = true
		}
	}
	index := map[string]int{}
	for i, node := range c.d.Nodes {
		index[node.ID] = i
	}
	forks := map[Edge][]int{} // source and port to targets
	var order []Edge
	for _, e := range c.d.Edges {
		key := Edge{Source: e.Source, Port: e.Port}
		if forks[key] == nil {
			order = append(order, key)
		}
		forks[key] = append(forks[key], index[e.Target])
		w.next[index[e.Source]] = append(w.next[index[e.Source]], index[e.Target])
	}
	for _, key := range order {
		targets := forks[key]
		for i, a := range targets {
			for _, b := range targets[i+1:] {
				w.walk(key.Source, a, b)
			}
		}
	}
}

// writers walks pairs of nodes, by their positions in the definition.
type writers struct {
	c      *compiler
	single map[string]bool
	next   [][]int
	seen   []bool // by pair: at most a million, however many edges there are
}

// pair is two nodes that branches may be at together.
type pair struct{ a, b int }

// meet adds a pair that was not looked at yet. Branches that are at one node, or
// wait there, are parallel no more.
func (w *writers) meet(todo []pair, a, b int) []pair {
	a, b = min(a, b), max(a, b)
	at := a*len(w.next) + b
	if a == b || w.seen[at] {
		return todo
	}
	w.seen[at] = true
	if w.waits(a) || w.waits(b) {
		return todo
	}
	return append(todo, pair{a, b})
}

// walk visits every pair of nodes that two branches may be at together.
func (w *writers) walk(fork string, a, b int) {
	todo := w.meet(nil, a, b)
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		w.compare(fork, p)
		for _, x := range w.next[p.a] {
			for _, y := range w.next[p.b] {
				todo = w.meet(todo, x, y)
			}
		}
	}
}

func (w *writers) waits(i int) bool { return w.c.bound[w.c.d.Nodes[i].ID].Wait }

func (w *writers) compare(fork string, p pair) {
	first, second := w.c.d.Nodes[p.a].ID, w.c.d.Nodes[p.b].ID
	for _, ch := range w.c.bound[first].Writes {
		if !w.single[ch] || !slices.Contains(w.c.bound[second].Writes, ch) {
			continue
		}
		w.c.found.add(StageValidate, fmt.Sprintf("/nodes/%d", p.b), phrase.Of("definition.side_by_side.do"),
			"definition.side_by_side", first, second, fork, ch)
	}
}
