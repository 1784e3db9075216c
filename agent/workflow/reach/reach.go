// Package reach tells which nodes of a directed graph lead to which, and where its cycles are. Nodes are names; edges map a
// node to its targets.
package reach

import "slices"

// Cycles returns the strongly connected parts of a graph that hold a cycle,
// their nodes in the order given.
func Cycles(nodes []string, next map[string][]string) [][]string {
	back := map[string][]string{}
	for from, targets := range next {
		for _, t := range targets {
			back[t] = append(back[t], from)
		}
	}
	var out [][]string
	taken, inner := map[string]bool{}, inside(nodes, next, back)
	for _, n := range nodes {
		if taken[n] || !inner[n] {
			continue
		}
		ahead := From(next[n], next)
		if !ahead[n] {
			continue
		}
		behind := From([]string{n}, back)
		var part []string
		for _, m := range nodes {
			if ahead[m] && behind[m] {
				taken[m] = true
				part = append(part, m)
			}
		}
		out = append(out, part)
	}
	return out
}

// inside returns the nodes that have a way on to a cycle: what is left when ends
// are taken off as long as there are any. Where nothing is left there is no
// cycle to search for.
func inside(nodes []string, next, back map[string][]string) map[string]bool {
	left, onward := map[string]bool{}, map[string]int{}
	var ends []string
	for _, n := range nodes {
		left[n] = true
		if onward[n] = len(next[n]); onward[n] == 0 {
			ends = append(ends, n)
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

// From returns the nodes that edges lead to from some nodes, these included.
func From(from []string, edges map[string][]string) map[string]bool {
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
