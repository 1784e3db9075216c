package orchestrator

import (
	"context"
	"fmt"
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
)

func (k kit) stepPreparation() workflow.Type {
	return k.define("step_preparation", "Recommends tools for the step; where steps are approved, also prepares the call with its values.",
		k.prepare, []string{toAsk, toRun}, k.prepared.Name(), k.decided.Name())
}

func (k kit) prepare(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	st, ok := k.stepAt(s)
	if !ok {
		return nil, fmt.Errorf("step %d does not exist", k.current.Get(s)+1)
	}
	p, n := k.plan.Get(s), k.current.Get(s)
	k.show(x, p, k.outcomes.Get(s), st.ID)
	x.Doing("agent.step", n+1, len(p.Steps), st.Text)
	pre := prepared{Step: st.ID}
	past, err := k.recommendFor(ctx, x, st, &pre)
	if err != nil {
		return nil, err
	}
	cost, err := k.prepareCall(ctx, s, x, &pre, past)
	if err != nil {
		return nil, err
	}
	port := toRun
	if k.mustAsk(s, x, st, pre) {
		port = toAsk
	}
	return append(cost, k.prepared.Set(pre), k.decided.Set(decided{}), k.next.Set(port)), nil
}

// recommendFor fills in the tools of a step, the best first: the one of the plan
// in front, the others re-ranked by how they did in tasks like this.
func (k kit) recommendFor(ctx context.Context, x *workflow.Exec, st step, pre *prepared) (map[string]served, error) {
	specs, err := k.recommend(ctx, x, st.Text+" "+st.Detail, k.cfg.Limits.Tools)
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
	past, err := k.toolPast(ctx, x, st.Text, names)
	if err != nil {
		return nil, err
	}
	pre.Tools = rerank(names, past, st.Tool)
	pre.Tools = pre.Tools[:min(len(pre.Tools), k.cfg.Limits.Tools)]
	return past, nil
}

// successBoost is how much a tool that always succeeded gains on one that is
// unknown.
const successBoost = 0.3

// rerank orders tools by their place in the recommendation, boosted by their
// success rate; those to avoid come last, the planned one first.
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

// uncovered reports whether a call of the tool would do more than anybody
// granted so far.
func (k kit) uncovered(s graph.State, x *workflow.Exec, st step, spec tool.Spec) bool {
	return k.refusal(s, x, st, spec, "") != ""
}

// mustAsk decides whether people are asked about the step: where steps are
// approved, and where its call would do more than was granted.
func (k kit) mustAsk(s graph.State, x *workflow.Exec, st step, pre prepared) bool {
	if x.Request.Approvals.Step {
		return true
	}
	spec, ok := k.spec(x, pre.Tool)
	return ok && askingFor(x, spec.Name) && k.uncovered(s, x, st, spec)
}

// granted reports whether a person granted the plan as it is.
func (k kit) granted(s graph.State) bool {
	p := k.plan.Get(s)
	return p.Granted != "" && p.Granted == digestOf(p.Steps)
}

// refusal says by a code why a call may not be made, "" if it may. digest is the
// fingerprint of the call, "" for one that nobody has been shown.
//
// A call that was shown and granted is made. What only reads needs nobody. What
// is given to others may be when the plan said so, and a search elsewhere when
// nobody wants to be asked. What writes, runs code or sends what stays sent needs a
// person: the step's own grant, or that of a plan which named this tool, for the
// first try.
func (k kit) refusal(s graph.State, x *workflow.Exec, st step, spec tool.Spec, digest string) string {
	e := spec.Policy.Effect()
	switch {
	case !spec.Policy.Allows(x.Request.Scopes):
		return codeForbidden
	case digest != "" && k.prepared.Get(s).Granted == digest:
		return ""
	case spec.Policy.Approval:
		return codeNeedsApproval
	case e == agent.EffectReads:
		return ""
	case !weighty(spec) && !x.Request.Approvals.Plan:
		return ""
	case rank(e) > rank(st.Effect) || !k.granted(s):
		return codeNeedsApproval
	case weighty(spec) && (spec.Name != st.Tool || k.outcomeOf(s, st.ID).Tries > 0):
		return codeNeedsApproval
	}
	return ""
}

// Why a step failed, beside the codes of tools.
const (
	codeNeedsApproval = "needs_approval"
	codeForbidden     = "refused"
	codeTimeout       = "timeout"
	codeEmpty         = "empty"
	codeReported      = "reported" // the result itself speaks of a failure
	codeIdle          = "not_called"
	codeLimit         = "limit"
	codeModel         = "model"
	codeIncomplete    = "incomplete"
	codeUnknown       = "not_found"
)
