package workflow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"maru/agent/workflow/reach"
	"maru/phrase"
)

// Need is an operation of an expression that fails while values of the state are absent.
type Need struct {
	Pointer string          // of the expression, a JSON pointer below the config
	Values  []string        // channels and members of metadata; it fails where all of them are absent
	Text    string          // the expression
	Hint    phrase.Sentence // how to write it so that it does not fail
	Handled bool            // the node goes on without the expression's value
}

// anyMember stands for all members of metadata, of types that do not say which they write.
const anyMember = "metadata.*"

// ItemValues are the values that only the node which works on an item of a map has, and a workflow that runs for one.
var ItemValues = []string{"item", "index", "count"}

// given lists the values that a node leaves in the state.
func (c *compiler) given(id string) []string {
	b := c.bound[id]
	for _, e := range c.d.Edges { // what works on an item hands its result to the join
		if e.Target == id && e.Port == PortEach {
			return nil
		}
	}
	out := slices.Clone(b.Gives)
	for _, w := range b.Writes {
		switch {
		case w != "metadata":
			out = append(out, w)
		case !slices.ContainsFunc(b.Gives, func(g string) bool { return strings.HasPrefix(g, "metadata.") }):
			out = append(out, anyMember)
		}
	}
	return out
}

// absent finds expressions that fail because nothing has written what they read. One that fails whenever its node
// runs first is a fault; one that fails on some ways is a warning, since a run need not go them.
func (c *compiler) absent() {
	before := c.written()
	for _, e := range c.d.Edges {
		if set := before[e.Target]; set != nil && e.Port == PortEach {
			for _, v := range ItemValues {
				set[v] = true
			}
		}
	}
	for i, n := range c.d.Nodes {
		for _, need := range c.bound[n.ID].Needs {
			if holds(before[n.ID], need.Values) {
				continue
			}
			at := fmt.Sprintf("/nodes/%d/config%s", i, need.Pointer)
			values := strings.Join(need.Values, ", ")
			if slices.ContainsFunc(need.Values, func(v string) bool { return slices.Contains(ItemValues, v) }) {
				c.found.Warn(StageBind, at, need.Hint, "definition.absent_item", need.Text, values)
				continue
			}
			if need.Handled || c.earlier(n.ID, need.Values) {
				c.found.Warn(StageBind, at, need.Hint, "definition.absent_way", need.Text, n.ID, values)
				continue
			}
			c.found.add(StageBind, at, need.Hint, "definition.absent", need.Text, values, n.ID)
		}
	}
}

func holds(set map[string]bool, values []string) bool {
	return slices.ContainsFunc(values, func(v string) bool {
		return set[v] || (set[anyMember] && strings.HasPrefix(v, "metadata."))
	})
}

// written returns what is written on every way to each node.
func (c *compiler) written() map[string]map[string]bool {
	in, out := map[string]map[string]bool{}, map[string]map[string]bool{}
	for _, n := range c.d.Nodes {
		if n.Type == TypeStart {
			in[n.ID], out[n.ID] = map[string]bool{}, map[string]bool{}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, n := range c.d.Nodes {
			if n.Type == TypeStart {
				continue
			}
			set := c.arriving(n.ID, in, out)
			if set == nil || (in[n.ID] != nil && maps.Equal(set, in[n.ID])) {
				continue
			}
			left := maps.Clone(set)
			for _, g := range c.given(n.ID) {
				left[g] = true
			}
			in[n.ID], out[n.ID], changed = set, left, true
		}
	}
	return in
}

// arriving combines what the sources of a node have written: everything, for a node that waits for all of them, else
// what each of them has written; nil as long as no source is known.
func (c *compiler) arriving(id string, in, out map[string]map[string]bool) map[string]bool {
	var set map[string]bool
	for _, e := range c.d.Edges {
		from := out[e.Source]
		if t, _ := c.r.Type(c.typeOf(e.Source)); e.Port != "" && e.Port == t.Expiry {
			from = in[e.Source] // the node has not run
		}
		switch {
		case e.Target != id || from == nil:
		case set == nil:
			set = maps.Clone(from)
		case c.bound[id].Wait:
			maps.Copy(set, from)
		default:
			maps.DeleteFunc(set, func(v string, _ bool) bool { return !from[v] })
		}
	}
	return set
}

func (c *compiler) typeOf(id string) string {
	i := slices.IndexFunc(c.d.Nodes, func(n Node) bool { return n.ID == id })
	return c.d.Nodes[i].Type
}

// earlier reports whether one of the values may be written before a node runs first.
func (c *compiler) earlier(id string, values []string) bool {
	next := map[string][]string{}
	var start []string
	for _, n := range c.d.Nodes {
		if n.Type == TypeStart {
			start = append(start, n.ID)
		}
	}
	for _, e := range c.d.Edges {
		if e.Source != id {
			next[e.Source] = append(next[e.Source], e.Target)
		}
	}
	for from := range reach.From(start, next) {
		set := map[string]bool{}
		for _, g := range c.given(from) {
			set[g] = true
		}
		if from != id && holds(set, values) {
			return true
		}
	}
	return false
}
