package workflow

import (
	"cmp"
	"slices"
	"strings"
)

// layout gives every node of a definition a layer and a place in it, so that
// most edges lead down. Edges that lead back are turned for the purpose, edges
// over several layers pass through dummy places.
type layout struct {
	nodes []Node
	index map[string]int
	layer []int   // of each node
	rows  [][]int // node numbers by layer; dummies are numbered after the nodes
	links []link
	next  [][]int // between neighbouring layers, dummies included
	prev  [][]int
}

// link is a drawn edge.
type link struct {
	edge     Edge
	from, to int
	back     bool
	via      []int // dummies, in the order of the layers
}

// upward reports whether a link leads back to where it was, or to itself.
func (k link) upward() bool { return k.back || k.from == k.to }

func newLayout(d Definition) *layout {
	l := &layout{nodes: d.Nodes, index: map[string]int{}}
	for i, n := range d.Nodes {
		if _, twice := l.index[n.ID]; !twice {
			l.index[n.ID] = i
		}
	}
	for _, e := range d.Edges {
		from, okF := l.index[e.Source]
		to, okT := l.index[e.Target]
		if okF && okT {
			l.add(e, from, to)
		}
	}
	l.turnBack()
	l.layers()
	l.dummies()
	l.order()
	return l
}

// add draws an edge; several from one node to another are one line with all
// their ports.
func (l *layout) add(e Edge, from, to int) {
	for i, k := range l.links {
		if k.from == from && k.to == to {
			if e.Port != "" {
				l.links[i].edge.Port = strings.TrimPrefix(k.edge.Port+", "+e.Port, ", ")
			}
			return
		}
	}
	l.links = append(l.links, link{edge: e, from: from, to: to})
}

// turnBack marks the edges that close cycles, found depth first from the start.
func (l *layout) turnBack() {
	const unseen, open, closed = 0, 1, 2
	state := make([]int, len(l.nodes))
	var visit func(int)
	visit = func(n int) {
		state[n] = open
		for i := range l.links {
			if l.links[i].from != n {
				continue
			}
			switch state[l.links[i].to] {
			case open:
				l.links[i].back = true
			case unseen:
				visit(l.links[i].to)
			}
		}
		state[n] = closed
	}
	for i, n := range l.nodes {
		if n.Type == TypeStart && state[i] == unseen {
			visit(i)
		}
	}
	for i := range l.nodes {
		if state[i] == unseen {
			visit(i)
		}
	}
}

// layers puts every node below all that lead to it.
func (l *layout) layers() {
	l.layer = make([]int, len(l.nodes))
	for range l.nodes { // longest paths: at most one round a layer
		changed := false
		for _, k := range l.links {
			if !k.back && l.layer[k.to] <= l.layer[k.from] {
				l.layer[k.to] = l.layer[k.from] + 1
				changed = true
			}
		}
		if !changed {
			break
		}
	}
	for i := range l.nodes {
		for len(l.rows) <= l.layer[i] {
			l.rows = append(l.rows, nil)
		}
		l.rows[l.layer[i]] = append(l.rows[l.layer[i]], i)
	}
}

func (l *layout) dummies() {
	l.next = make([][]int, len(l.nodes))
	l.prev = make([][]int, len(l.nodes))
	connect := func(a, b int) {
		l.next[a] = append(l.next[a], b)
		l.prev[b] = append(l.prev[b], a)
	}
	for i := range l.links {
		k := &l.links[i]
		if k.upward() {
			continue
		}
		at := k.from
		for layer := l.layer[k.from] + 1; layer < l.layer[k.to]; layer++ {
			d := len(l.next)
			l.next, l.prev = append(l.next, nil), append(l.prev, nil)
			l.rows[layer] = append(l.rows[layer], d)
			k.via = append(k.via, d)
			connect(at, d)
			at = d
		}
		connect(at, k.to)
	}
}

// order sorts each layer by the middle of its neighbours, down and up, a few
// times: that takes out most crossings.
func (l *layout) order() {
	for round := range 8 {
		if round%2 == 0 {
			for i := 1; i < len(l.rows); i++ {
				l.sortBy(l.rows[i], l.rows[i-1], l.prev)
			}
		} else {
			for i := len(l.rows) - 2; i >= 0; i-- {
				l.sortBy(l.rows[i], l.rows[i+1], l.next)
			}
		}
	}
}

func (l *layout) sortBy(row, fixed []int, neighbours [][]int) {
	place := map[int]int{}
	for i, n := range fixed {
		place[n] = i
	}
	middle := make(map[int]float64, len(row))
	for i, n := range row {
		sum, count := 0.0, 0
		for _, m := range neighbours[n] {
			if p, ok := place[m]; ok {
				sum, count = sum+float64(p), count+1
			}
		}
		middle[n] = float64(i)
		if count > 0 {
			middle[n] = sum / float64(count)
		}
	}
	slices.SortStableFunc(row, func(a, b int) int { return cmp.Compare(middle[a], middle[b]) })
}
