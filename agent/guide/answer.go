package guide

import (
	"context"
	"fmt"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/agent/workflow/node"
	"maru/phrase/fit"
)

func (k kit) answer() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "guide_answer", Summary: "Answers a plain question at once, from services and documents that fit.",
		Reads: []string{"question", "messages"}, Writes: []string{"retrieved_docs", "final_guide", "cited", "messages"},
	}, k.reply, nil)
}

func (k kit) reply(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	docs, err := graph.Once(ctx, "retrieve", func(ctx context.Context, _ string) ([]RetrievedDoc, error) { return k.fitting(ctx, s, x) })
	if err != nil {
		return nil, err
	}
	passages := make([]agent.Source, len(docs))
	for i, d := range docs {
		d.Source.N = i + 1
		passages[i] = d.Source
	}
	if len(passages) > 0 {
		x.Emit(agent.Event{Kind: agent.EventSources, Sources: passages})
	}
	system, err := k.prompt("answer", s, x, map[string]any{
		"Passages": shown(passages), "Earlier": host.LongAgo(ctx, x, k.log, host.Newest(k.st.messages.Get(s), recent)),
	})
	if err != nil {
		return nil, err
	}
	req := llm.Request{Purpose: llm.ForAnswer, Messages: k.talk(system, s), Passages: node.Passages(passages)}
	reply, err := host.Talk(ctx, x, "answer", req, true)
	if err != nil {
		return nil, err
	}
	text := reply.Text
	if text == "" {
		text = x.Phrase("guide.no_answer")
		x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	}
	text, cited := x.Cite(text, passages)
	writes := []graph.Write{k.st.docs.Add(docs...), k.st.guide.Set(text), k.st.cited.Set(cited)}
	return append(writes, host.Said(x.Request, s, k.st.messages, text, keptMessages)...), nil
}

// fitting finds the services and passages for a plain question.
func (k kit) fitting(ctx context.Context, s graph.State, x *workflow.Exec) ([]RetrievedDoc, error) {
	b := &bench{x: x}
	if _, err := k.retrieve(ctx, b, queryArgs{fit.Cut(k.st.question.Get(s), 400)}); err != nil {
		return nil, fmt.Errorf("find what fits: %w", err)
	}
	if b.docs == nil {
		return []RetrievedDoc{}, nil
	}
	return b.docs[:min(len(b.docs), 8)], nil
}
