package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/consent"
	"maru/phrase/fit"
)

func (v stepReview) stepFeedback() workflow.Type {
	return v.define("process_step_feedback", "Takes the decision in: changed values are validated, and what was granted is what runs.",
		v.takeStep, []string{toAgain, toRun, toSkip, toStop}, v.prepared.Name(), v.history.Name(), v.made.Name(), v.problem.Name())
}

func (v stepReview) takeStep(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	pre := v.prepared.Get(s)
	pre.Rounds++
	pre.Notes = nil
	d := v.decided.Get(s)
	if d.Action == agent.VerbStop { // stops the whole task
		if !pre.Unsure { // it never ran, so it is not an interrupted one
			showPlan(x, v.plan.Get(s), v.outcomes.Get(s), "")
		}
		return []graph.Write{v.history.Add(d.entry(kindStep, pre.Step, pre.Tool)), v.next.Set(toStop), v.problem.Set(
			x.Phrase("orchestrator.step.stopped"))}, nil
	}
	if pre.Unsure {
		return v.takeUnsure(s, x, pre), nil
	}
	entry := d.entry(kindStep, pre.Step, pre.Tool)
	entry.Millis = v.waited.Get(s)
	noted := v.history.Add(entry)
	switch {
	case pre.Again && (d.Expired || d.Action == agent.VerbSkip): // what ran before may have taken effect
		return v.skipStep(noted, x.Phrase("agent.tool_interrupted")), nil
	case d.Expired:
		return v.skipStep(noted, x.Phrase("orchestrator.step.expired")), nil
	case d.Action == agent.VerbSkip:
		return v.skipStep(noted, skippedWhy(x, d)), nil
	case d.Action == agent.VerbAccept:
		pre.Auto = d.Auto
		return append(v.grantCall(x, pre), noted), nil
	}
	edited, err := v.editCall(ctx, s, x, pre, d)
	if err != nil {
		return nil, err
	}
	return append(edited, noted), nil
}

// skipStep skips the step: its tool never runs.
func (v stepReview) skipStep(noted graph.Write, why string) []graph.Write {
	return []graph.Write{noted, v.made.Set(attempt{Skipped: true, Reason: why}), v.next.Set(toSkip)}
}

// skippedWhy states that a person skipped the step and why, for later steps.
func skippedWhy(x *workflow.Exec, d decided) string {
	why := x.Phrase("orchestrator.step.skipped")
	if d.Text != "" {
		why += ". " + x.Phrase("orchestrator.plan.reason", fit.Clip(d.Text, 300))
	}
	return why
}

// grantCall approves exactly this call. A call that the tool rejects is asked about again with the reason.
func (v stepReview) grantCall(x *workflow.Exec, pre prepared) []graph.Write {
	if pre.Tool == "" {
		return []graph.Write{v.prepared.Set(pre), v.next.Set(toRun)}
	}
	if x.Tools == nil {
		return v.askStepAgain(x, pre, tool.ErrUnknown)
	}
	if !sameTool(x, pre.Tool, pre.Shown) {
		if _, ok := toolNamed(x, pre.Tool); ok {
			settleArguments(x, &pre)
			return v.askStepAgain(x, pre, errToolChanged)
		}
	}
	arguments, err := x.Tools.Check(pre.Tool, x.Request.Scopes, pre.Arguments)
	if err != nil { // it was valid when shown: the tool has changed
		settleArguments(x, &pre)
		return v.askStepAgain(x, pre, err)
	}
	pre.Arguments = arguments
	pre.Granted = callDigest(pre.Step, pre.Tool, arguments)
	return []graph.Write{v.prepared.Set(pre), v.next.Set(toRun)}
}

// editCall applies changed values. Values from the form are the person's own, for the
// same tool, and count as approved. Values that the model derived from the person's
// words are shown again first.
func (v stepReview) editCall(ctx context.Context, s graph.State, x *workflow.Exec, pre prepared, d decided) ([]graph.Write, error) {
	spec, ok := toolNamed(x, pre.Tool)
	if !ok {
		return v.askStepAgain(x, pre, tool.ErrUnknown), nil
	}
	if strings.TrimSpace(d.Text) != "" {
		return v.changedInWords(ctx, s, x, stepEdit{pre, spec, d.Text})
	}
	before, shown := pre.call(), pre.Shown
	changed, wrong := before.With(x, d.Values)
	pre.Arguments = changed.Arguments
	settleArguments(x, &pre)
	if wrong != nil {
		pre.Notes = nil // the reason lists what was dropped
		return v.askStepAgain(x, pre, wrong), nil
	}
	if pre.runnable() && !sameTool(x, pre.Tool, shown) {
		return v.askStepAgain(x, pre, errToolChanged), nil
	}
	if pre.runnable() && (d.Confirm || !bytes.Equal(pre.Arguments, changed.Arguments)) { // a default stands for an emptied field
		return v.askChanged(x, pre, before.Changed(changed, pre.call())), nil
	}
	if pre.runnable() {
		x.Doing("orchestrator.step.changed")
	}
	return v.grantCall(x, pre), nil
}

// stepEdit is a person's reply about a call that was shown.
type stepEdit struct {
	pre   prepared
	spec  tool.Spec
	words string
}

// changedInWords asks the model to change the call as the person said, and shows the result. The model may make no
// call, since the words can be a refusal or a question.
func (v stepReview) changedInWords(ctx context.Context, s graph.State, x *workflow.Exec, e stepEdit) ([]graph.Write, error) {
	pre := e.pre
	st, _ := v.stepAt(s)
	text, err := v.prompt("arguments", s, x, v.withThread(ctx, s, x, map[string]any{
		"Step": st, "Tool": e.spec, "Progress": v.progress(ctx, s), "Schema": consent.Readable(e.spec.Parameters), "Before": string(pre.Arguments),
	}))
	if err != nil {
		return nil, err
	}
	req := llm.Request{Purpose: llm.ForExtract, Messages: system(text, user(fit.Clip(e.words, 2000))), Tools: offered(x, []tool.Spec{e.spec})}
	arguments, cost, err := v.writeCall(ctx, x, "edit", req, pre.Tool)
	if err != nil && !v.continuesWithoutModel(ctx, s, err) {
		return nil, err
	}
	if arguments == nil {
		return append(cost, v.askStepAgain(x, pre, errNotUnderstood)...), nil
	}
	before := pre.call()
	given := call{Tool: pre.Tool, Arguments: arguments}
	pre.Arguments = arguments
	settleArguments(x, &pre)
	d := before.Changed(given, pre.call())
	if callDigest(pre.Step, pre.Tool, pre.Arguments) == callDigest(pre.Step, pre.Tool, before.Arguments) { // or every change was invalid
		if len(d.Defaults) > 0 { // "drop the cc" gives it its default again
			pre.Notes = append(pre.Notes, d.Notes(x, "")...)
		}
		return append(cost, v.askStepAgain(x, pre, errNotUnderstood)...), nil
	}
	d.Defaults = slices.DeleteFunc(d.Defaults, func(name string) bool { return slices.Contains(d.Kept, name) }) // the model did not repeat them
	return append(cost, v.askChanged(x, pre, d)...), nil
}

// askChanged shows the changed call again.
func (v stepReview) askChanged(x *workflow.Exec, pre prepared, d consent.Change) []graph.Write {
	pre.Notes = append(d.Notes(x, x.Phrase("orchestrator.step.confirm_change")), pre.Notes...)
	return v.askStepAgain(x, pre, nil)
}

// Reasons for showing a step again after a person's words.
var (
	errNotUnderstood = errors.New("no change of the call")
	errToolChanged   = errors.New("the tool changed since it was shown")
)

// askStepAgain shows the step again with the reason, a bounded number of times; then it
// is skipped. Without wrong the step's notes say why.
func (v stepReview) askStepAgain(x *workflow.Exec, pre prepared, wrong error) []graph.Write {
	var note string
	switch {
	case wrong == nil:
	case errors.Is(wrong, errToolChanged) && pre.Again:
		note = x.Phrase("agent.tool_changed_unsure")
	case errors.Is(wrong, errToolChanged):
		note = x.Phrase("agent.tool_changed")
	case errors.Is(wrong, errNotUnderstood):
		note = x.Phrase("orchestrator.step.not_decided")
	case errors.Is(wrong, tool.ErrUnknown):
		note = x.Phrase("orchestrator.step.tool_gone")
	default:
		note = x.Phrase("agent.call_unfit", fit.Clip(tool.Sentence(wrong, x.Request.Language), 600))
	}
	if pre.Granted = ""; note != "" {
		pre.Notes = append([]string{note}, pre.Notes...)
	}
	if pre.Rounds > v.limits.Asked {
		return []graph.Write{
			v.prepared.Set(pre), v.next.Set(toSkip), v.made.Set(attempt{Skipped: true, Reason: x.Phrase("orchestrator.step.unsettled")}),
		}
	}
	return []graph.Write{v.prepared.Set(pre), v.next.Set(toAgain)}
}
