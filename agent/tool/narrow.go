package tool

import (
	"context"
	"slices"
	"strings"

	"maru/agent/llm"
)

// MaxOffered is how many tools a model is offered at once: more cost tokens in every
// request, confuse small models, and endpoints refuse them from 128 on.
const MaxOffered = 24

// Narrow returns at most so many of the tools that could be offered, [MaxOffered] or fewer: those that
// fit the task, then the first by name, in the order of names. The same task gets
// the same tools in every round, so that a prompt can be cached. A nil Recommender
// takes the first.
func (r *Recommender) Narrow(ctx context.Context, task string, offered []llm.Tool, most int) []llm.Tool {
	if len(offered) <= most {
		return offered
	}
	byName := map[string]llm.Tool{}
	for _, t := range offered {
		byName[t.Name] = t
	}
	var kept []llm.Tool
	keep := func(name string) {
		if t, ok := byName[name]; ok && len(kept) < most {
			kept = append(kept, t)
			delete(byName, name)
		}
	}
	if r != nil {
		for _, found := range r.Recommend(ctx, Want{Task: task, Limit: maxWant}) {
			keep(found.Spec.Name)
		}
	}
	for _, t := range offered {
		keep(t.Name)
	}
	slices.SortFunc(kept, func(a, b llm.Tool) int { return strings.Compare(a.Name, b.Name) })
	return kept
}
