package chat

import (
	"slices"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
	"maru/agent/workflow/node"
	"maru/memory"
)

// label joins the labels of all that a turn has read: the window, the summaries of what left
// it, passages, and notes on files. All documents may hold outsiders' words
// but the sample handbook and those of sources that an admin marked as the team's own.
func (a *Agent) label(s graph.State) flow.Label {
	return flow.Label{
		Outsiders: outsiders(a.ch.messages.Get(s), a.ch.summaries.Get(s)) || a.ch.notes.Get(s) != "" ||
			slices.ContainsFunc(a.passages(s), agent.Source.Outsiders),
	}
}

// passages are all that a turn has read of documents.
func (a *Agent) passages(s graph.State) []agent.Source {
	return slices.Concat(a.ch.context.Get(s), a.ch.near.Get(s), a.atHand(s))
}

// outsiders reports whether words of outsiders stand in a window or its summaries.
func outsiders(messages []memory.Message, summaries []memory.Summary) bool {
	return slices.ContainsFunc(messages, func(m memory.Message) bool { return m.Outsiders }) ||
		slices.ContainsFunc(summaries, func(m memory.Summary) bool { return m.Outsiders && m.Text != "" })
}

// read is what a turn has read, and what its person said.
func (a *Agent) read(x *workflow.Exec, s graph.State) flow.Context {
	from := node.OriginsOf(x, a.ch.messages.Get(s))
	from.Documents(a.passages(s))
	return flow.Context{Label: a.label(s), Said: node.SaidBy(x.Request, a.ch.messages.Get(s)), From: from.List()}
}

// labelled is the label of a result.
func (r *round) labelled(name string, done node.Called) flow.Label {
	spec, ok := r.x.Tool(name)
	if !ok {
		return flow.Label{}
	}
	return flow.Result(spec.Policy, done.From, r.read.Label)
}

// why tells people why a call is asked about that is not asked about at other times.
func (r *round) why(c consent.Call) []string {
	spec, ok := r.x.Tool(c.Tool)
	if !ok {
		return nil
	}
	return node.Reason(r.x, spec, c.Arguments, r.read)
}
