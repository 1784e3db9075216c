package rehearse

import (
	"context"

	"maru/agent/llm"
	"maru/bot/definition"
	"maru/bot/rehearsal"
	"maru/rag/eval/grade"
)

// Grader asks a model for its opinion of answers.
func Grader(m llm.Model, price func(model string, input, output, cached int) float64) rehearsal.Grader {
	return func(ctx context.Context, q rehearsal.Question, a rehearsal.Answer) (rehearsal.Opinion, float64, error) {
		cost := 0.0
		ctx = llm.Listen(ctx, func(call llm.Call) {
			if !call.Cached {
				cost += price(call.Model, call.Usage.Input, call.Usage.Output, call.Usage.Cached)
			}
		})
		it := grade.Item{Question: q.Text, Known: true, Reply: a.Text}
		for _, s := range a.Sources {
			it.Passages = append(it.Passages, s.Quote)
		}
		g, err := grade.One(ctx, m, it)
		return rehearsal.Opinion{Right: g.Right, Cited: g.Cited, Complete: g.Complete, Declined: g.Declined, Because: g.Because}, cost, err
	}
}

// Tried returns the definitions of a team, replaced by the tried ones of the same ID.
func Tried(list []definition.Version, tried map[string][]byte) []definition.Version {
	var out []definition.Version
	for _, v := range list {
		if _, replaced := tried[v.ID]; !replaced {
			out = append(out, v)
		}
	}
	for id, text := range tried {
		out = append(out, definition.Version{ID: id, N: 1, Text: string(text)})
	}
	return out
}
