package orchestrator

import (
	"context"
	"encoding/json"
	"slices"

	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
)

// maxRepairs limits the model's corrections of invalid arguments before people see them.
const maxRepairs = 2

// prepareCall fills in the step's call if people will see it or it is known already. Otherwise the model chooses
// calls while the step runs.
func (p preparer) prepareCall(ctx context.Context, s graph.State, x *workflow.Exec, pre *prepared, past map[string]served) ([]graph.Write, error) {
	st, _ := p.stepAt(s)
	if len(st.Arguments) > 0 && argumentsFit(x, st.Tool, st.Arguments) {
		pre.Tool, pre.Arguments = st.Tool, st.Arguments
		settleArguments(x, pre)
		return nil, nil
	}
	name := st.Tool
	if name == "" && len(pre.Tools) > 0 && x.Request.Approvals.Step {
		name = pre.Tools[0]
	}
	spec, ok := toolNamed(x, name)
	if !ok || !(x.Request.Approvals.Step || askingFor(x, spec.Name) && p.uncovered(s, x, st, spec, nil)) {
		return nil, nil
	}
	best := past[name]
	arguments, cost, err := p.fillCall(ctx, s, x, st, spec, best)
	if err != nil && !p.continuesWithoutModel(ctx, s, err) {
		return nil, err
	}
	switch {
	case arguments != nil:
		pre.Tool, pre.Arguments = name, arguments
	case st.Tool == "":
		return cost, nil
	case argumentsFit(x, name, best.Best):
		pre.Tool, pre.Arguments = name, best.Best
	default:
		pre.Tool, pre.Arguments = name, json.RawMessage("{}")
	}
	if best.Avoid {
		pre.Notes = append(pre.Notes, x.Phrase("orchestrator.tool_failed_before"))
	}
	settleArguments(x, pre)
	return cost, nil
}

// call returns the prepared call.
func (p prepared) call() consent.Call { return consent.Call{Tool: p.Tool, Arguments: p.Arguments} }

// fillCall asks the model for the arguments of a step's call; nil if it makes no call.
func (g stage) fillCall(ctx context.Context, s graph.State, x *workflow.Exec, st step, spec tool.Spec, best served) (json.RawMessage, []graph.Write, error) {
	text, err := g.prompt("arguments", s, x, g.withThread(ctx, s, x, map[string]any{
		"Step": st, "Tool": spec, "Progress": g.progress(ctx, s), "Best": string(best.Best),
		"Schema": consent.Readable(spec.Parameters), "Tools": []tool.Spec{spec},
	}))
	if err != nil {
		return nil, nil, err
	}
	req := llm.Request{
		Purpose: llm.ForExtract, Messages: system(text, user(st.Text+"\n"+st.Detail)), Tools: offered(x, []tool.Spec{spec}), ToolChoice: spec.Name,
	}
	if st.Tool == "" {
		req.ToolChoice = "auto" // the step may need no tool at all
	}
	return g.writeCall(ctx, x, "arguments", req, spec.Name)
}

// pinValues fills in the call of the plan's next step if it writes, sends or executes and the step has no approval
// of its own. The plan then shows the values, and approving the plan approves exactly these. Later steps may
// depend on results still missing, and missing values are asked for with their step.
func (g stage) pinValues(ctx context.Context, s graph.State, x *workflow.Exec, p plan, next int) (plan, []graph.Write, error) {
	if next >= len(p.Steps) || !x.Request.Approvals.Plan || x.Request.Approvals.Step {
		return p, nil, nil
	}
	st := p.Steps[next]
	spec, ok := toolNamed(x, st.Tool)
	if !ok || !needsPerson(spec) || len(st.Arguments) > 0 {
		return p, nil, nil
	}
	arguments, cost, err := g.fillCall(ctx, s, x, st, spec, served{})
	if err != nil && !workflow.Silent(ctx, err) {
		return p, nil, err
	}
	if c := (call{Tool: spec.Name, Arguments: arguments}).Filled(x); err == nil && argumentsFit(x, spec.Name, c.Arguments) {
		p.Steps = slices.Clone(p.Steps)
		p.Steps[next].Arguments, p.Steps[next].Shown = c.Arguments, spec.Digest()
	}
	return p, cost, nil
}

// runnable reports whether the call can run, and so be approved, as it is.
func (p prepared) runnable() bool { return len(p.Missing) == 0 && p.Unfit == "" }

// readiness returns the share of required fields that have a value.
func (p prepared) readiness() float64 {
	if p.Total == 0 {
		return 1
	}
	return float64(p.Total-len(p.Missing)) / float64(p.Total)
}
