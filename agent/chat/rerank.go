package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase/fit"
)

// Limits of a rerank call: its prompt fits a context of 4,096 tokens, in Korean as well.
const (
	rerankMost    = 20   // passages
	rerankLetters = 3000 // characters of all passages together
)

// candidates returns the number of passages to retrieve: more than are shown if a model reranks them.
func (c Config) candidates() int {
	if c.Rerank {
		return max(rerankMost, c.Passages)
	}
	return c.Passages
}

// picked returns the passages to answer from, in the order of the index or of the reranking model. If the model
// fails, or its reply is not a list of distinct passage numbers, the index's order stays.
func (a *Agent) picked(ctx context.Context, s graph.State, found []agent.Source) ([]agent.Source, error) {
	if !a.cfg.Rerank || len(found) <= a.cfg.Passages {
		return found, nil
	}
	byArticle := slices.ContainsFunc(found, func(p agent.Source) bool { return p.Named })
	if !byArticle { // an article found by its number needs no reranking
		order, err := a.rerank(ctx, s, found[:min(len(found), rerankMost)])
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			workflow.ExecOf(s).Without(ctx, llm.ForRerank, err)
		}
		found = arranged(found, order)
	}
	found = slices.Clone(found[:a.cfg.Passages])
	for i := range found {
		found[i].N = i + 1
	}
	return found, nil
}

// arranged moves the listed passages to the front, in that order; the others keep theirs.
func arranged(found []agent.Source, order []int) []agent.Source {
	out := make([]agent.Source, 0, len(found))
	for _, n := range order {
		out = append(out, found[n-1])
	}
	for i, p := range found {
		if !slices.Contains(order, i+1) {
			out = append(out, p)
		}
	}
	return out
}

// rerank asks the model for an order of the passages, in one call without repairs: latency matters more than the
// best order.
func (a *Agent) rerank(ctx context.Context, s graph.State, found []agent.Source) ([]int, error) {
	system, err := host.Render(prompts(), promptRerank, nil)
	if err != nil {
		return nil, err
	}
	shape, err := llm.NewShape("order", fmt.Appendf(nil, `{"type": "object", "properties": {
  "order": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": %[1]d}, "maxItems": %[1]d, "uniqueItems": true}},
  "required": ["order"], "additionalProperties": false}`, len(found)))
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Question: %s\n", fit.Clip(a.ch.question.Get(s), maxQuery))
	for i, p := range found {
		fmt.Fprintf(&b, "\n[%d] %s: %s\n", i+1, strings.Trim(p.Title+" › "+p.Heading, " ›"), fit.Clip(fit.OneLine(p.Quote), rerankLetters/len(found)))
	}
	resp, err := workflow.ExecOf(s).Bind(a.cfg.Model).Generate(ctx, llm.Request{
		Purpose: llm.ForRerank, Schema: shape.Schema(), Messages: []llm.Message{{Role: llm.System, Content: system}, {Role: llm.User, Content: b.String()}},
	}, nil)
	if err != nil {
		return nil, err
	}
	var reply struct {
		Order []int `json:"order"`
	}
	if err := shape.Decode(resp.Message.Content, &reply); err != nil {
		return nil, &llm.Error{Class: llm.Invalid, Model: resp.Model, Detail: "keeping the index's order", Err: errors.New("invalid order of passages")}
	}
	return reply.Order, nil
}
