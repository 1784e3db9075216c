package chat

import (
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
	"maru/agent/workflow/node"
	"maru/memory"
)

// label joins the labels of the turn's input: window, summaries, passages, notes on files and old messages of the thread.
// Documents count as outsiders' words, except the sample handbook and sources that an admin trusts.
func (a *Agent) label(s graph.State) flow.Label {
	return flow.Label{
		Outsiders: outsiders(a.ch.messages.Get(s), a.ch.summaries.Get(s)) || a.ch.notes.Get(s) != "" ||
			workflow.ExecOf(s).Heard() != nil || slices.ContainsFunc(a.passages(s), agent.Source.Outsiders),
	}
}

// passages returns all passages of documents that a turn has read.
func (a *Agent) passages(s graph.State) []agent.Source {
	return slices.Concat(a.ch.context.Get(s), a.ch.near.Get(s), a.atHand(s))
}

// outsiders reports whether a window or its summaries contain outsiders' words.
func outsiders(messages []memory.Message, summaries []memory.Summary) bool {
	return slices.ContainsFunc(messages, func(m memory.Message) bool { return m.Outsiders }) ||
		slices.ContainsFunc(summaries, func(m memory.Summary) bool { return m.Outsiders && m.Text != "" })
}

// read returns the labels of what a turn has read, and its person's own words.
func (a *Agent) read(x *workflow.Exec, s graph.State) flow.Context {
	from := node.OriginsOf(x, a.ch.messages.Get(s))
	from.Documents(a.passages(s))
	return flow.Context{Label: a.label(s), Said: node.SaidBy(x.Request, a.ch.messages.Get(s)), Read: others(a, x, s), From: from.List()}
}

// others returns what a turn has read beside its person's words. What the model wrote in this turn nobody has seen.
func others(a *Agent, x *workflow.Exec, s graph.State) []string {
	out := []string{a.ch.notes.Get(s)}
	for _, m := range a.ch.messages.Get(s) {
		if m.Role != string(llm.Assistant) || !strings.HasPrefix(m.ID, x.Request.Run+"/") {
			out = append(out, m.Author, m.Text)
		}
	}
	for _, m := range a.ch.summaries.Get(s) {
		out = append(out, m.Text)
	}
	for _, p := range a.passages(s) {
		out = append(out, p.Title, p.Quote)
	}
	return out
}

// labelled returns the label of a result.
func (r *round) labelled(name string, done node.Called) flow.Label {
	spec, ok := r.x.Tool(name)
	if !ok && done.From == "" { // it was never there: these are the program's words
		return flow.Label{}
	}
	return flow.Result(spec.Policy, done.From, r.read.Label)
}

// why explains to people why a call needs approval that usually needs none.
func (r *round) why(c consent.Call) []string {
	spec, ok := r.x.Tool(c.Tool)
	if !ok {
		return nil
	}
	return node.Reason(r.x, spec, c.Arguments, r.read)
}
