package orchestrator

import (
	"context"
	"fmt"
	"slices"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
)

// preparer chooses the tools of a step and fills in its call.
type preparer struct {
	stage

	tools  recommending
	memory toolMemory
	limits Limits
}

// toolMemory returns how tools performed in similar tasks.
type toolMemory interface {
	valueMemory

	toolPast(ctx context.Context, x *workflow.Exec, task string, names []string) (map[string]served, error)
}

func (p preparer) stepPreparation() workflow.Type {
	return p.define("step_preparation", "Recommends tools for the step; where steps are approved, also prepares the call with its values.",
		p.prepare, []string{toAsk, toRun}, p.prepared.Name(), p.decided.Name())
}

func (k preparer) prepare(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	st, ok := k.stepAt(s)
	if !ok {
		return nil, fmt.Errorf("step %d does not exist", k.current.Get(s)+1)
	}
	p, n := k.plan.Get(s), k.current.Get(s)
	showPlan(x, p, k.outcomes.Get(s), st.ID)
	x.Doing("agent.step", n+1, len(p.Steps), st.Text)
	if pre, ok := k.unsureCall(s, x, st); ok {
		return []graph.Write{k.prepared.Set(pre), k.decided.Set(decided{}), k.next.Set(toAsk)}, nil
	}
	pre := prepared{Step: st.ID}
	past, err := k.recommendFor(ctx, x, st, &pre)
	if err != nil {
		return nil, err
	}
	cost, err := k.prepareCall(ctx, s, x, &pre, past)
	if err != nil {
		return nil, err
	}
	pre.Heard = x.Heard()
	port := toRun
	if k.mustAsk(s, x, st, pre) {
		port = toAsk
		if pre.Known, err = k.sources(ctx, s, x, k.memory); err != nil {
			return nil, err
		}
		if best := past[pre.Tool].Best; len(best) > 0 {
			pre.Known = append(pre.Known, consent.CallRemembered(best))
		}
	}
	return append(cost, k.prepared.Set(pre), k.decided.Set(decided{}), k.next.Set(port)), nil
}

// recommendFor sets the tools of a step, best first: the planned tool, then the others ranked by their success in
// similar tasks.
func (p preparer) recommendFor(ctx context.Context, x *workflow.Exec, st step, pre *prepared) (map[string]served, error) {
	specs, err := p.tools.recommend(ctx, x, st.Text+" "+st.Detail, p.limits.Tools)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(specs))
	for i, spec := range specs {
		names[i] = spec.Name
	}
	if st.Tool != "" && !slices.Contains(names, st.Tool) {
		names = append([]string{st.Tool}, names...)
	}
	past, err := p.memory.toolPast(ctx, x, st.Text, names)
	if err != nil {
		return nil, err
	}
	pre.Tools = rerank(names, past, st.Tool)
	pre.Tools = pre.Tools[:min(len(pre.Tools), p.limits.Tools)]
	return past, nil
}

// successBoost is the advantage of a tool that always succeeded over an unknown one.
const successBoost = 0.3

// rerank orders tools by their rank in the recommendation, boosted by success rate; the
// planned one comes first, tools to avoid last.
func rerank(names []string, past map[string]served, planned string) []string {
	score := func(name string) float64 {
		i := slices.Index(names, name)
		v := 1 / float64(i+1)
		p := past[name]
		switch {
		case name == planned:
			return 10
		case p.Avoid:
			return v - 2
		}
		return v + successBoost*p.Success
	}
	out := slices.Clone(names)
	slices.SortStableFunc(out, func(a, b string) int {
		switch d := score(b) - score(a); {
		case d > 0:
			return 1
		case d < 0:
			return -1
		}
		return 0
	})
	return out
}

// mustAsk reports whether the step needs a decision: steps are approved here, or its
// call exceeds the approvals given.
func (p preparer) mustAsk(s graph.State, x *workflow.Exec, st step, pre prepared) bool {
	if x.Request.Approvals.Step {
		return true
	}
	spec, ok := toolNamed(x, pre.Tool)
	return ok && askingFor(x, spec.Name) && p.uncovered(s, x, st, spec, pre.Arguments)
}
