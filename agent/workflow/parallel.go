package workflow

import (
	"fmt"
	"slices"
)

// parallelWriters finds nodes that run in the same super-step and write a
// channel without a reducer. From every fork it walks the branches in step, two
// at a time.
func (c *compiler) parallelWriters() {
	single := map[string]bool{}
	for _, ch := range c.schema.Channels() {
		if ch.Kind == "last" {
			single[ch.Name] = true
		}
	}
	w := writers{c: c, single: single, next: map[string][]string{}, seen: map[[2]string]bool{}, told: map[string]bool{}}
	forks := map[Edge][]string{} // source and port to targets
	var order []Edge
	for _, e := range c.d.Edges {
		key := Edge{Source: e.Source, Port: e.Port}
		if forks[key] == nil {
			order = append(order, key)
		}
		forks[key] = append(forks[key], e.Target)
		w.next[e.Source] = append(w.next[e.Source], e.Target)
	}
	for i, n := range c.d.Nodes {
		if w.index == nil {
			w.index = map[string]int{}
		}
		w.index[n.ID] = i
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

type writers struct {
	c      *compiler
	single map[string]bool
	next   map[string][]string
	index  map[string]int
	seen   map[[2]string]bool
	told   map[string]bool
}

// walk visits every pair of nodes that two branches may be at together.
func (w *writers) walk(fork, a, b string) {
	todo := [][2]string{{a, b}}
	for len(todo) > 0 {
		pair := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if pair[0] > pair[1] {
			pair[0], pair[1] = pair[1], pair[0]
		}
		if pair[0] == pair[1] || w.seen[pair] || w.waits(pair[0]) || w.waits(pair[1]) {
			continue
		}
		w.seen[pair] = true
		w.compare(fork, pair)
		for _, x := range w.next[pair[0]] {
			for _, y := range w.next[pair[1]] {
				todo = append(todo, [2]string{x, y})
			}
		}
	}
}

func (w *writers) waits(id string) bool { return w.c.bound[id].Wait }

func (w *writers) compare(fork string, pair [2]string) {
	for _, ch := range w.c.bound[pair[0]].Writes {
		if !w.single[ch] || !slices.Contains(w.c.bound[pair[1]].Writes, ch) {
			continue
		}
		key := pair[0] + " " + pair[1] + " " + ch
		if w.told[key] {
			continue
		}
		w.told[key] = true
		w.c.found.add(StageValidate, fmt.Sprintf("/nodes/%d", w.index[pair[1]]), "let them write different channels, or run one after the other",
			"%q and %q run side by side after %q and both write channel %q, which has no reducer", pair[0], pair[1], fork, ch)
	}
}
