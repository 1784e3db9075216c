package orchestrator

import (
	"context"
	"slices"

	"maru/agent/flow"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// heard returns what people said in a run, with their decisions, and what it has read, results of the current step among it. A value
// of a call that only the model's plan, or its text about a step, has was made up, also where the plan was approved.
func (c channels) heard(ctx context.Context, s graph.State, x *workflow.Exec, typed []string, results ...node.Gave) flow.Context {
	messages := c.messages.Get(s)
	h := flow.Context{Said: slices.Concat(node.SaidBy(x.Request, messages), typed)}
	for _, a := range c.clarity.Get(s).Answers {
		if a.Own {
			h.Said = append(h.Said, a.Answer)
		}
	}
	for _, a := range c.history.Get(s) {
		h.Said = append(h.Said, a.Words...)
	}
	for _, m := range messages {
		h.Read = append(h.Read, m.Author, m.Text)
	}
	for _, o := range c.outcomes.Get(s) {
		if o.Based == nil {
			h.Read = append(h.Read, o.Text, o.revealed(ctx, x, maxShown))
			continue
		}
		results = append(results, *o.Based...)
	}
	for _, r := range results {
		h.Read = append(h.Read, r.Shown(ctx, x))
	}
	for _, p := range c.passages.Get(s) {
		h.Read = append(h.Read, p.Title, p.Quote)
	}
	return h
}
