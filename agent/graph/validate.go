package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"maru/phrase/slip"
)

// check returns everything that is wrong with the graph.
func (b *Builder) check(o Options) []string {
	c := checker{b: b, problems: slices.Concat(b.schema.problems, b.problems)}
	if o.MaxSteps < 0 {
		c.say("MaxSteps is %d: a graph needs a bound of its steps", o.MaxSteps)
	}
	if o.Parallel < 0 {
		c.say("Parallel is %d: at least one task must run", o.Parallel)
	}
	if o.Group < 0 || o.Lag < 0 {
		c.say("Group is %d and Lag is %v: a group of steps needs bounds", o.Group, o.Lag)
	}
	if o.Durability < Inherit || o.Durability > AtExit {
		c.say("Durability is %d: there is no such durability", o.Durability)
	}
	if len(b.nodes) == 1 {
		c.say("the graph has no node")
	}
	c.targets()
	c.joins()
	c.writes()
	c.paths()
	c.parallelWriters()
	return c.problems
}

type checker struct {
	b        *Builder
	problems []string
}

func (c *checker) say(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// targets checks that every edge leads to a node or to End.
func (c *checker) targets() {
	for _, n := range c.b.nodes {
		for t := range n.targets() {
			switch {
			case t == Start:
				c.say("edge from %q leads back to the start", n.name)
			case t != End && c.b.byName[t] == nil:
				c.say("edge from %q leads to unknown node %q%s", n.name, t, c.nearest(t))
			}
		}
	}
}

func (n *builderNode) targets() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, t := range n.static {
			if !yield(t) {
				return
			}
		}
		for _, br := range n.branches {
			for _, t := range br.targets {
				if !yield(t) {
					return
				}
			}
		}
		if n.expiry != "" {
			yield(n.expiry)
		}
	}
}

func (c *checker) joins() {
	for i, j := range c.b.joins {
		if slices.ContainsFunc(c.b.joins[:i], func(k builderJoin) bool { return k.target == j.target }) {
			c.say("node %q has two joins: name all sources in one", j.target)
		}
		if c.b.byName[j.target] == nil || j.target == Start {
			c.say("join into unknown node %q%s", j.target, c.nearest(j.target))
		}
		if len(j.sources) < 1 || len(j.sources) > 63 {
			c.say("join into %q has %d sources: 1 to 63 are possible", j.target, len(j.sources))
		}
		for i, s := range j.sources {
			if c.b.byName[s] == nil || s == Start {
				c.say("join into %q waits for unknown node %q%s", j.target, s, c.nearest(s))
			}
			if slices.Contains(j.sources[:i], s) {
				c.say("join into %q names %q twice", j.target, s)
			}
		}
	}
}

func (c *checker) writes() {
	for _, n := range c.b.nodes {
		if n.policy.Parallel < 0 {
			c.say("node %q: Parallel is %d: at least one task must run", n.name, n.policy.Parallel)
		}
		if d := n.policy.Durability; d < Inherit || d > AtExit {
			c.say("node %q: Durability is %d: there is no such durability", n.name, d)
		}
		for _, w := range n.policy.Writes {
			if c.b.schema.byName[w] == nil {
				c.say("node %q writes unknown channel %q", n.name, w)
			}
		}
	}
}

// paths checks that every node is reachable and can reach the end.
func (c *checker) paths() {
	next, back := map[string][]string{}, map[string][]string{}
	edge := func(from, to string) {
		next[from] = append(next[from], to)
		back[to] = append(back[to], from)
	}
	for _, n := range c.b.nodes {
		for t := range n.targets() {
			edge(n.name, t)
		}
	}
	for _, j := range c.b.joins {
		for _, s := range j.sources {
			edge(s, j.target)
		}
	}
	reached, ending := closure(Start, next), closure(End, back)
	for _, n := range c.b.nodes {
		switch {
		case len(next[n.name]) == 0:
			c.say("node %q has no edge out of it: lead it on, or to End", n.name)
		case !ending[n.name]:
			c.say("node %q cannot reach the end: its loop has no way out", n.name)
		}
		if !reached[n.name] {
			c.say("node %q cannot be reached from the start", n.name)
		}
	}
}

func closure(from string, next map[string][]string) map[string]bool {
	seen := map[string]bool{from: true}
	for todo := []string{from}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, t := range next[n] {
			if !seen[t] {
				seen[t] = true
				todo = append(todo, t)
			}
		}
	}
	return seen
}

// parallelWriters checks nodes that always start together: unconditional successors of the same node that declare
// their writes.
func (c *checker) parallelWriters() {
	for _, n := range c.b.nodes {
		writers := map[string][]string{}
		for _, t := range slices.Compact(slices.Sorted(slices.Values(n.static))) {
			if c.b.byName[t] == nil {
				continue
			}
			for _, w := range c.b.byName[t].policy.Writes {
				writers[w] = append(writers[w], t)
			}
		}
		for _, w := range slices.Sorted(maps.Keys(writers)) {
			ch := c.b.schema.byName[w]
			if ch != nil && ch.kind == kindLast && len(writers[w]) > 1 {
				c.say("nodes %s run side by side after %q and all write channel %q, which has no reducer",
					strings.Join(writers[w], ", "), n.name, w)
			}
		}
	}
}

// nearest suggests a node with a name close to a mistyped one.
func (c *checker) nearest(name string) string {
	best, dist := "", 3
	for _, n := range c.b.nodes {
		if d := slip.Count([]byte(name), []byte(n.name), dist); d < dist && n.name != Start {
			best, dist = n.name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %q?", best)
}
