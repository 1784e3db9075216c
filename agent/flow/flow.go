// Package flow decides which calls of tools may be made without a person's yes, by whose
// words the run has read. It is the rule that docs/security.md states:
//
//   - Everything that a run reads carries a [Label]: whether outsiders wrote it. A run has the
//     join of the labels of all that it has read, and what it writes has that label too.
//   - Every tool has a [Class], by its [tool.Policy]; a policy that says nothing has the most careful class.
//   - Reading inside and computing in a sandbox need nobody's yes. Writing, sending and
//     executing need one by the tool's own policy.
//   - A query to a service outside needs one once outsiders' words are in the context, unless
//     every content word of it was said by the person. So does any execution. The description of
//     an outside server's tool is such words for queries to that server.
//
// It keeps nothing and asks nobody: labels are kept in the state of an agent, and
// agent/workflow/consent asks.
package flow

import (
	"maru/agent/tool"
)

// Label says who wrote a text.
type Label struct {
	Outsiders bool // people or services wrote them that are not of the team
}

// Join returns the label of a text that was made from both.
func (l Label) Join(o Label) Label { return Label{l.Outsiders || o.Outsiders} }

// Class is what a call does with its arguments.
type Class int

// The classes. The zero value is the most careful.
const (
	Executes Class = iota // runs code that reaches something
	Writes                // changes something
	Sends                 // mail or post to somebody, which stays sent
	Queries               // asks a service outside
	Computes              // runs code that reaches nothing
	Reads                 // reads inside
)

// ClassOf returns the class of a tool.
func ClassOf(p tool.Policy) Class {
	switch {
	case p.Executes && p.Sandboxed && p.ReadOnly && !p.Egress:
		return Computes
	case p.Executes:
		return Executes
	case !p.ReadOnly:
		return Writes
	case p.Egress && p.Lasting():
		return Sends
	case p.Egress:
		return Queries
	}
	return Reads
}

// Result returns the label of a tool's result, or of its failure, in a run: a tool of our
// own words keeps the label of what it was given, and every other brings outsiders' words.
// from is the outside server whose words it is, "" for ours.
func Result(p tool.Policy, from string, run Label) Label {
	return run.Join(Label{Outsiders: !p.Own || p.Egress || from != ""})
}

// Context is what a run has read when it wants a call.
type Context struct {
	Label

	Said []string // what the person wrote in this conversation or approved on a card, nobody else's words among them
	Read []string // what else it has read: others' words, documents, results of tools
	From []string // where outsiders' words came from, for people
}

// Unsaid returns the content words of a call's arguments that the person did not say, in
// the order in which they would go out.
func (c Context) Unsaid(spec tool.Spec, arguments []byte) []string {
	words, _ := unsaid(c.Said, spec.Parameters, arguments)
	return words
}

// described reports whether a tool queries an outside server. That server wrote the tool's description, so the description is
// untrusted and may ask the model to send private words.
func described(spec tool.Spec) bool { return spec.Origin != "" && ClassOf(spec.Policy) == Queries }

// NeedsYes reports whether a call is made only if a person allows it.
func (c Context) NeedsYes(spec tool.Spec, arguments []byte) bool {
	switch {
	case !spec.Policy.Unasked():
		return true
	case !c.Outsiders && !described(spec):
		return false
	}
	switch ClassOf(spec.Policy) {
	case Executes:
		return true
	case Queries:
		words, readable := unsaid(c.Said, spec.Parameters, arguments)
		return !readable || len(words) > 0
	}
	return false
}
