package orchestrator

import (
	"context"
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
	"maru/agent/workflow/node"
)

// Thresholds of automatic approval: a read-only step is approved from this predicted
// probability and number of decisions on.
const (
	autoAccepts = 0.8
	autoSamples = 5
)

// stepReview shows the call of a step and applies the decision about it.
type stepReview struct {
	stage

	memory decisionMemory
	limits Limits
}

// decisionMemory predicts from a person's earlier decisions whether they accept a
// step.
type decisionMemory interface {
	predict(ctx context.Context, x *workflow.Exec, task string) (likely, error)
}

func (v stepReview) stepApproval() workflow.Type {
	return v.define("step_approval", "Shows the call of the step and waits for a decision; one that only reads may be approved by this person's own history.",
		v.askStep, nil, v.decided.Name(), v.waited.Name())
}

func (v stepReview) askStep(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	st, _ := v.stepAt(s)
	pre := v.prepared.Get(s)
	auto, err := v.autoApproved(ctx, s, x, pre)
	if err != nil {
		return nil, err
	}
	if auto {
		return []graph.Write{v.decided.Set(decided{Reply: agent.Reply{Action: agent.VerbAccept}, At: x.Request.Now, Auto: true})}, nil
	}
	asked, err := v.askedAt(ctx)
	if err != nil {
		return nil, err
	}
	d, err := ask(ctx, kindStep, v.stepAsk(ctx, s, x, st, pre))
	if err != nil {
		return nil, err
	}
	return []graph.Write{v.decided.Set(d), v.waited.Set(elapsedMillis(asked, d.At))}, nil
}

// autoApproved reports whether the step needs no question: the setting allows it, the
// step only reads, no value is missing, and the person is predicted to accept.
func (v stepReview) autoApproved(ctx context.Context, s graph.State, x *workflow.Exec, pre prepared) (bool, error) {
	spec, known := toolNamed(x, pre.Tool)
	if known && spec.Policy.Allowed && pre.Rounds == 0 && pre.runnable() && !v.read(s, x).NeedsYes(spec, pre.Arguments) { // admins of the place allowed it
		return true, nil
	}
	if !x.Request.Approvals.AutoStep || pre.Rounds > 0 || !pre.runnable() || pre.call().Effect(x) != agent.EffectReads || (known && spec.Policy.Approval) {
		return false, nil
	}
	l, err := v.memory.predict(ctx, x, stepTask(pre.Tool, v.input.Get(s)))
	return l.Samples >= autoSamples && l.Accepts > autoAccepts, err
}

func (v stepReview) stepAsk(ctx context.Context, s graph.State, x *workflow.Exec, st step, pre prepared) agent.Ask {
	n, p := v.current.Get(s), v.plan.Get(s)
	if pre.Unsure {
		return unsureAsk(x, pre, x.Phrase("orchestrator.step.unsure", n+1, len(p.Steps), literal(st.Text)))
	}
	a := pre.call().Question(x, x.Phrase("orchestrator.step.ask", n+1, len(p.Steps), literal(st.Text)), pre.runnable())
	a.Detail += lacking(x, pre)
	a.Notes = slices.Concat(v.why(s, x, pre), pre.call().Marks(x, pre.Known, v.heard(ctx, s, x, nil)), pre.Notes)
	a.Steps = planProgress(x, p, v.outcomes.Get(s), st.ID)
	a.Steps[n].Detail, a.Steps[n].Effect = st.Detail, a.Effect
	if v.justEdited(s) && pre.Rounds == 0 {
		a.Notes = append([]string{x.Phrase("orchestrator.plan.as_edited")}, a.Notes...)
	}
	if repeats(p, st, a.Effect) {
		a.Notes = append([]string{x.Phrase("orchestrator.redo.ran_step")}, a.Notes...)
	}
	consent.Choices(x, &a, agent.Action{Verb: agent.VerbSkip}, agent.Action{Verb: agent.VerbStop, Spoken: true})
	return a
}

// why explains whose words a query would send outside.
func (v stepReview) why(s graph.State, x *workflow.Exec, pre prepared) []string {
	spec, ok := toolNamed(x, pre.Tool)
	if !ok {
		return nil
	}
	return node.Reason(x, spec, pre.Arguments, v.read(s, x))
}

// justEdited reports whether the last decision edited the plan: the next card then
// shows the person the result.
func (v stepReview) justEdited(s graph.State) bool {
	h := v.history.Get(s)
	return len(h) > 0 && h[len(h)-1].Kind == kindPlan && h[len(h)-1].Action == agent.VerbEdit
}

// lacking describes the missing and invalid values of a call.
func lacking(x *workflow.Exec, pre prepared) string {
	switch {
	case pre.Tool == "":
		return x.Phrase("orchestrator.step.no_tool")
	case len(pre.Missing) > 0:
		return "\n" + x.Phrase("orchestrator.step.missing", list(pre.Missing), 100*pre.readiness())
	case pre.Unfit != "":
		return "\n" + pre.Unfit
	}
	return ""
}
