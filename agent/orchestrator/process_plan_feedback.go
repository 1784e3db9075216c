package orchestrator

import (
	"context"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/planedit"
	"maru/agent/workflow"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

func (v planReview) planFeedback() workflow.Type {
	return v.define("process_plan_feedback", "Takes the decision in: an edit is validated, shown again, and asked for again only if it could do more than what was shown.",
		v.takePlan, []string{toAgain, toClarify, toRun, toStop},
		v.plan.Name(), v.current.Name(), v.history.Name(), v.problem.Name(), v.clarity.Name(), v.notes.Name(), v.applied.Name())
}

func (v planReview) takePlan(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	d, p := v.decided.Get(s), v.plan.Get(s)
	p.Rounds++
	p.Notes = nil
	shown := p.Steps[min(v.current.Get(s), len(p.Steps)):]
	entry := d.entry(kindPlan, "", "")
	entry.Millis = v.waited.Get(s)
	noted := v.history.Add(entry)
	switch {
	case d.Expired:
		return []graph.Write{noted, v.next.Set(toStop), v.problem.Set(
			x.Phrase("orchestrator.plan.expired"))}, nil
	case d.Action == agent.VerbReject:
		return []graph.Write{noted, v.next.Set(toStop), v.problem.Set(v.rejected(s, x, d))}, nil
	case d.Action == agent.VerbUndo:
		return v.undoReuse(s, x, noted), nil
	case d.Action == agent.VerbAccept:
		return append(v.grant(s, x, p, d), noted), nil
	}
	return v.editPlan(ctx, s, x, planEdit{p: p, shown: shown, d: d, noted: noted})
}

func (v planReview) rejected(s graph.State, x *workflow.Exec, d decided) string {
	text := x.Phrase("orchestrator.plan.rejected")
	if v.current.Get(s) > 0 {
		text = x.Phrase("orchestrator.plan.rest_rejected")
	}
	if d.Text != "" {
		text += " " + x.Phrase("orchestrator.plan.reason", fit.Clip(d.Text, 300))
	}
	return text
}

// undoReuse withdraws an answer that was reused from memory: the task is unclear again
// and its questions are asked.
func (v planReview) undoReuse(s graph.State, x *workflow.Exec, noted graph.Write) []graph.Write {
	c := v.clarity.Get(s)
	c.Auto, c.Undone, c.Answers = false, true, nil
	c.Note = x.Phrase("orchestrator.clarify.dropped")
	return []graph.Write{
		noted, v.clarity.Set(c), v.notes.Set(nil), v.applied.Set(applied{}), v.plan.Set(plan{}), v.current.Set(0), v.next.Set(toClarify),
	}
}

// grant approves the plan in its present form.
func (v planReview) grant(s graph.State, x *workflow.Exec, p plan, d decided) []graph.Write {
	p.Granted, p.By = digestOf(p.Steps), d.By
	showPlan(x, p, v.outcomes.Get(s), "")
	return []graph.Write{v.plan.Set(p), v.next.Set(toRun)}
}

// planEdit is a person's edit of the shown steps.
type planEdit struct {
	p     plan
	shown []step
	d     decided
	noted graph.Write
}

// editPlan applies an edit. The plan is shown again unless the person has seen the result, as shown steps or their
// own lines, and its effects are no graver than those shown.
func (v planReview) editPlan(ctx context.Context, s graph.State, x *workflow.Exec, e planEdit) ([]graph.Write, error) {
	lines, cost, err := v.editor.readEdit(ctx, s, x, e)
	if err != nil {
		return nil, err
	}
	cost = append(cost, e.noted)
	if why := v.editFault(x, lines, e); why != "" {
		return append(cost, v.askPlanAgain(x, e.p, why)...), nil
	}
	made, err := v.editor.rebuild(ctx, s, x, lines, e.shown)
	if err != nil {
		return nil, err
	}
	cost = append(cost, made.cost...)
	e.p.Steps = append(slices.Clone(e.p.Steps[:len(e.p.Steps)-len(e.shown)]), made.steps...)
	e.p = numberSteps(x, e.p)
	e.p.Edited = true
	now := e.p.Steps[len(e.p.Steps)-len(made.steps):]
	if why := staleSteps(x, now, made.kept); why != "" {
		return append(cost, v.askPlanAgain(x, e.p, why)...), nil
	}
	if graver(now, e.shown) {
		why := x.Phrase("orchestrator.plan.graver", newRisks(x, now, e.shown))
		return append(cost, v.askPlanAgain(x, e.p, why)...), nil
	}
	if e.d.Confirm || e.d.Text != "" && (!removes(lines, e.shown) || intent.Conditional(e.d.Text)) { // a model makes "drop 2 if …" a removal
		return append(cost, v.askPlanAgain(x, e.p, x.Phrase("orchestrator.plan.as_edited"))...), nil
	}
	x.Doing("orchestrator.plan.changed")
	return append(cost, v.grant(s, x, e.p, e.d)...), nil
}

// removes reports whether edited lines are a subset of the shown steps, unchanged; the result was then seen.
func removes(lines []planedit.Line, shown []step) bool {
	last := 0
	for _, l := range lines {
		if l.From <= last || !planedit.Same(l.Text, shown[l.From-1].Text) {
			return false
		}
		last = l.From
	}
	return true
}

// staleSteps names the steps whose text changed while their tool still sends, writes or executes, since the text
// may no longer describe it. "" if there are none.
func staleSteps(x *workflow.Exec, now []step, kept []int) string {
	var out []string
	for _, i := range kept {
		if now[i].Tool != "" && rank(now[i].Effect) > rank(agent.EffectReads) {
			out = append(out, "“"+now[i].Text+"” → "+toolTitle(x, now[i].Tool))
		}
	}
	if len(out) == 0 {
		return ""
	}
	return x.Phrase("orchestrator.plan.tool_kept", list(out))
}

// editFault returns why the edited lines are not a valid plan, "" if they are.
func (v planReview) editFault(x *workflow.Exec, lines []planedit.Line, e planEdit) string {
	switch n := len(e.shown); {
	case lines == nil && planedit.MissingStep(e.d.Text, n) > 0:
		return x.Phrase("orchestrator.plan.no_such_step", planedit.MissingStep(e.d.Text, n), n)
	case lines == nil && n == 1:
		return x.Phrase("orchestrator.plan.one_not_understood")
	case lines == nil:
		return x.Phrase("orchestrator.plan.not_understood")
	case len(lines) == 0:
		return x.Phrase("orchestrator.plan.empty")
	case len(lines) > v.limits.Steps:
		return x.Phrase("orchestrator.plan.too_long", v.limits.Steps)
	}
	return ""
}

// askPlanAgain shows the plan again with a note, a bounded number of times.
func (v planReview) askPlanAgain(x *workflow.Exec, p plan, note string) []graph.Write {
	p.Notes, p.Granted, p.By = []string{note}, "", ""
	if p.Rounds > v.limits.Asked {
		return []graph.Write{v.plan.Set(p), v.next.Set(toStop), v.problem.Set(
			x.Phrase("orchestrator.plan.undecided"))}
	}
	return []graph.Write{v.plan.Set(p), v.next.Set(toAgain)}
}

// newRisks names the effects of steps that were not shown.
func newRisks(x *workflow.Exec, now, shown []step) string {
	var out []string
	for _, s := range now {
		if rank(s.Effect) > rank(agent.EffectReads) && graver([]step{s}, shown) {
			out = append(out, toolTitle(x, s.Tool)+": "+s.Effect.Said().In(x.Request.Language))
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}
