package orchestrator

import (
	"context"
	"fmt"
	"slices"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/phrase/fit"
)

// toolbox recommends tools.
type toolbox struct {
	recommender Recommender
	memory      standingMemory
}

// standingMemory returns how tools performed in earlier tasks; nil if memory must not be used.
type standingMemory interface {
	standings(x *workflow.Exec, task string) tool.Memory
}

// recommending finds tools that suit a task, best first.
type recommending interface {
	recommend(ctx context.Context, x *workflow.Exec, task string, limit int) ([]tool.Spec, error)
}

// recommend returns the tools that suit a task, best first, without those forbidden in the channel. Without a
// recommender it returns all of them.
func (b toolbox) recommend(ctx context.Context, x *workflow.Exec, task string, limit int) ([]tool.Spec, error) {
	if x.Tools == nil {
		return nil, nil
	}
	names, err := graph.Repeatable(ctx, fmt.Sprintf("recommend/%d", limit), func(ctx context.Context, _ string) ([]string, error) {
		var names []string
		if b.recommender == nil {
			return x.Tools.Names(), nil
		}
		want := tool.Want{Task: task, Limit: limit, Scopes: x.Request.Scopes, Memory: b.memory.standings(x, task)}
		for _, r := range b.recommender.Recommend(ctx, want) {
			names = append(names, r.Spec.Name)
		}
		return names, ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	var specs []tool.Spec
	for _, n := range names {
		if spec, ok := toolNamed(x, n); ok && len(specs) < limit {
			specs = append(specs, spec)
		}
	}
	return specs, nil
}

// toolNamed returns a tool if it may be used in the channel.
func toolNamed(x *workflow.Exec, name string) (tool.Spec, bool) {
	return x.Tool(name)
}

// Shares of a plan's tools in a prompt of 4,096 tokens, in bytes.
const (
	describedBytes = 4 << 10 // names with descriptions
	namedBytes     = 2 << 10 // names only
)

// described shortens the descriptions of tools, most likely first, to their share of the prompt.
func described(specs []tool.Spec) []tool.Spec {
	out := slices.Clone(specs)
	for i := range out {
		out[i].Description = fit.Clip(fit.OneLine(out[i].Description), describedBytes/max(len(out), 1)/2)
	}
	return out
}

// allowedTools returns the tools that a step may name: "" for none, those described in the prompt, then other
// permitted ones as space allows.
func allowedTools(x *workflow.Exec, first []tool.Spec) []string {
	out, left := []string{""}, namedBytes
	for _, s := range first {
		out, left = append(out, s.Name), left-len(s.Name)
	}
	if x.Tools == nil {
		return out
	}
	for _, name := range x.Tools.Names() {
		if _, ok := toolNamed(x, name); ok && len(name) <= left && !slices.Contains(out, name) {
			out, left = append(out, name), left-len(name)
		}
	}
	return out
}

// toolTitle returns the name of a tool for people.
func toolTitle(x *workflow.Exec, name string) string {
	if spec, ok := toolNamed(x, name); ok && !spec.Title.Empty() {
		return spec.Title.In(x.Request.Language)
	}
	return name
}

// maxOffered limits the tools described in one prompt.
const maxOffered = 12

// offered describes tools to the model.
func offered(x *workflow.Exec, specs []tool.Spec) []llm.Tool {
	if x.Tools == nil || len(specs) == 0 {
		return nil
	}
	names := make(map[string]bool, len(specs))
	for _, s := range specs {
		names[s.Name] = true
	}
	return x.Tools.OfferIf(func(s tool.Spec) bool { return names[s.Name] })
}
