package guide

import (
	"context"
	"fmt"
	"slices"

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
		Doc:   "It reckons, tells the time and looks up what the tools know, in a few rounds. What was called is recorded: going on after a crash repeats no call.",
		Reads: []string{"question", "messages"}, Writes: []string{"retrieved_docs", "tool_result", "final_guide", "cited", "messages"},
	}, k.reply, nil)
}

func (k kit) reply(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	docs, err := graph.Repeatable(ctx, "retrieve", func(ctx context.Context, _ string) ([]RetrievedDoc, error) { return k.fitting(ctx, s, x) })
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
	reply, results, err := k.talkWithTools(ctx, s, x, req)
	silent := workflow.Silent(ctx, err) && llm.ClassOf(err) == llm.Garbage && len(passages) > 0
	if err != nil && !silent {
		return nil, err
	}
	text := reply.Text
	switch {
	case (silent || text == "") && len(passages) > 0: // a small model may write nothing but a call that cannot be read
		text = fmt.Sprintf("> %s [%d]", fit.OneLine(passages[0].Quote), passages[0].N)
		x.Emit(agent.Event{Kind: agent.EventReset})
		x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	case text == "":
		text = x.Phrase("guide.no_answer")
		x.Emit(agent.Event{Kind: agent.EventToken, Text: text})
	}
	text, cited := x.Cite(text, passages)
	writes := []graph.Write{k.st.docs.Add(docs...), k.st.results.Add(results...), k.st.guide.Set(text), k.st.cited.Set(cited)}
	return append(writes, host.Said(x.Request, s, k.st.messages, text, keptMessages)...), nil
}

// maxAsideRounds limits the tool rounds for a plain question.
const maxAsideRounds = 3

// talkWithTools asks the model and runs the tools it calls until it answers. Earlier look-ups of
// the question are not offered again, and no call is made twice.
func (k kit) talkWithTools(ctx context.Context, s graph.State, x *workflow.Exec, req llm.Request) (host.Reply, []ToolResult, error) {
	offered := slices.DeleteFunc(k.tools.Offer(), func(t llm.Tool) bool { return t.Name == toolDocs })
	said, done, seen := req.Messages, []ToolResult(nil), map[string]bool{}
	for round := 0; ; round++ {
		req.Tools = nil
		if round < maxAsideRounds {
			req.Tools = offered
		}
		name := "answer"
		if round > 0 {
			name = fmt.Sprintf("answer/%d", round)
		}
		reply, err := host.Talk(ctx, x, name, req, true)
		if err != nil || len(reply.Calls) == 0 || len(req.Tools) == 0 {
			return reply, done, err
		}
		fresh := false
		for _, c := range reply.Calls[:min(len(reply.Calls), maxCalls)] {
			call := Call{ID: c.ID, Tool: c.Name, Arguments: host.OneForm(c.Arguments)}
			key := call.Tool + " " + call.Arguments
			if seen[key] {
				continue
			}
			seen[key], fresh = true, true
			got, err := graph.Repeatable(ctx, fmt.Sprintf("%d/%s", len(done), call.ID), func(ctx context.Context, key string) (outcome, error) {
				return k.call(ctx, &bench{x: x, words: k.said(s)}, key, call)
			})
			if err != nil {
				return reply, done, err
			}
			done = append(done, got.Result)
		}
		if !fresh {
			offered = nil
		}
		req.Messages = append(slices.Clip(said), transcript(done)...)
	}
}

// fitting finds services and passages for a plain question.
func (k kit) fitting(ctx context.Context, s graph.State, x *workflow.Exec) ([]RetrievedDoc, error) {
	b := &bench{x: x}
	if _, err := k.retrieve(ctx, b, queryArgs{fit.Cut(k.st.question.Get(s), 400)}); err != nil {
		return nil, fmt.Errorf("search services and documents: %w", err)
	}
	if b.docs == nil {
		return []RetrievedDoc{}, nil
	}
	return b.docs[:min(len(b.docs), 8)], nil
}
