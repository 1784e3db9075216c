package chat

import (
	"context"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/rag"
)

// notFound says honestly that the documents do not answer, and which passages
// come nearest. It is no model's decision, so that no model can invent.
func (a *Agent) notFound(ctx context.Context, s graph.State) ([]graph.Write, error) {
	x := workflow.ExecOf(s)
	question := a.ch.question.Get(s)
	said, near := x.Phrase("chat.not_in_documents"), x.Nearest(question, a.ch.near.Get(s))
	if words := rag.Narrowing(question); words != "" {
		said = x.Phrase("chat.not_in_narrowed", strings.ReplaceAll(words, "`", ""))
		if near == "" {
			wide, err := a.outside(ctx, x.Request, question)
			if err != nil {
				return nil, err
			}
			near = x.NearestAs("chat.nearest_outside", question, wide)
		}
	}
	answer := strings.TrimSpace(said + "\n\n" + near)
	x.Emit(agent.Event{Kind: agent.EventToken, Text: answer})
	return a.answered(x, s, answer, nil, llm.Message{}), nil
}

// outside are the passages that come nearest to a question without what narrows it: its
// tag may be misspelt.
func (a *Agent) outside(ctx context.Context, r agent.Request, question string) ([]agent.Source, error) {
	text := rag.Narrow(rag.Query{Text: question}, nil).Text
	if text == "" {
		return nil, nil
	}
	hits, err := a.cfg.Documents.Search(ctx, rag.Query{Text: text, Scopes: r.Scopes, Tags: r.Tags, Limit: nearest, Threshold: -1})
	if err != nil {
		return nil, fmt.Errorf("search outside of what narrows: %w", err)
	}
	return node.Sources(hits), nil
}
