package orchestrator

import (
	"context"
	"errors"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

func (k kit) stepFeedback() workflow.Type {
	return k.define("process_step_feedback", "Takes the decision in: changed values are validated, and what was granted is what runs.",
		k.takeStep, []string{toAgain, toRun, toSkip, toStop}, k.prepared.Name(), k.history.Name(), k.made.Name(), k.problem.Name())
}

func (k kit) takeStep(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	pre := k.prepared.Get(s)
	pre.Rounds++
	pre.Notes = nil
	offered := []string{agent.VerbSkip}
	if pre.runnable() {
		offered = append([]string{agent.VerbAccept}, offered...)
	}
	if said := k.decided.Get(s); intent.Stop(said.Text) { // not only this step
		return []graph.Write{k.history.Add(said.entry(kindStep, pre.Step, pre.Tool)), k.next.Set(toStop), k.problem.Set(
			x.Phrase("orchestrator.step.stopped"))}, nil
	}
	d := k.decided.Get(s).meant(offered...)
	entry := d.entry(kindStep, pre.Step, pre.Tool)
	entry.Millis = k.waited.Get(s)
	noted := k.history.Add(entry)
	switch {
	case d.Expired:
		return k.leaveOut(noted, x.Phrase("orchestrator.step.expired")), nil
	case d.Action == agent.VerbSkip:
		return k.leaveOut(noted, x.Phrase("orchestrator.step.skipped")), nil
	case d.Action == agent.VerbAccept:
		pre.Auto = d.Auto
		return append(k.grantCall(x, pre), noted), nil
	}
	edited, err := k.editCall(ctx, s, x, pre, d)
	if err != nil {
		return nil, err
	}
	return append(edited, noted), nil
}

// leaveOut skips the step: its tool never runs.
func (k kit) leaveOut(noted graph.Write, why string) []graph.Write {
	return []graph.Write{noted, k.made.Set(attempt{Skipped: true, Reason: why}), k.next.Set(toSkip)}
}

// grantCall lets exactly this call run. One that does not fit the tool is asked
// for again with what is wrong.
func (k kit) grantCall(x *workflow.Exec, pre prepared) []graph.Write {
	if pre.Tool == "" {
		return []graph.Write{k.prepared.Set(pre), k.next.Set(toRun)}
	}
	if x.Tools == nil {
		return k.askStepAgain(x, pre, tool.ErrUnknown)
	}
	arguments, err := x.Tools.Check(pre.Tool, x.Request.Scopes, pre.Arguments)
	if err != nil { // nothing was wrong when it was shown: the tool has changed
		k.ready(x, &pre)
		return k.askStepAgain(x, pre, err)
	}
	pre.Arguments = arguments
	pre.Granted = callDigest(pre.Step, pre.Tool, arguments)
	return []graph.Write{k.prepared.Set(pre), k.next.Set(toRun)}
}

// editCall takes changed values over. Values that a person wrote into the form
// are theirs, for the same tool: they count as approved. What the model makes of
// a person's words is not, so it is shown again before anything runs.
func (k kit) editCall(ctx context.Context, s graph.State, x *workflow.Exec, pre prepared, d decided) ([]graph.Write, error) {
	spec, ok := k.spec(x, pre.Tool)
	if !ok {
		return k.askStepAgain(x, pre, tool.ErrUnknown), nil
	}
	if strings.TrimSpace(d.Text) != "" {
		return k.changedInWords(ctx, s, x, stepEdit{pre, spec, d.Text})
	}
	arguments, faults := argumentsOf(spec.Parameters, pre.Arguments, d.Values)
	pre.Arguments = arguments
	wrong := k.misfit(x, pre.Tool, arguments)
	if len(faults) > 0 {
		wrong = tool.Misfit(pre.Tool, faults...)
	}
	k.ready(x, &pre)
	if wrong != nil {
		pre.Notes = nil // the reason says what was left out
		return k.askStepAgain(x, pre, wrong), nil
	}
	if pre.runnable() {
		x.Doing("orchestrator.step.changed")
	}
	return k.grantCall(x, pre), nil
}

// stepEdit is a person's words about a call that was shown.
type stepEdit struct {
	pre   prepared
	spec  tool.Spec
	words string
}

// changedInWords asks the model to change the call as a person said, and shows
// what came of it. It may call nothing: words can be a refusal or a question too.
func (k kit) changedInWords(ctx context.Context, s graph.State, x *workflow.Exec, e stepEdit) ([]graph.Write, error) {
	pre := e.pre
	st, _ := k.stepAt(s)
	text, err := k.prompt("arguments", s, x, k.before(ctx, s, x, map[string]any{
		"Step": st, "Tool": e.spec, "Progress": k.progress(s, x), "Schema": readable(e.spec.Parameters), "Before": string(pre.Arguments),
	}))
	if err != nil {
		return nil, err
	}
	req := llm.Request{Purpose: llm.ForExtract, Messages: system(text, user(fit.Clip(e.words, 2000))), Tools: offered(x, []tool.Spec{e.spec})}
	arguments, cost, err := k.writeCall(ctx, x, "edit", req, pre.Tool)
	if err != nil && !k.goesOn(ctx, s, err) {
		return nil, err
	}
	if arguments == nil {
		return append(cost, k.askStepAgain(x, pre, errNotUnderstood)...), nil
	}
	before := callDigest(pre.Step, pre.Tool, pre.Arguments)
	pre.Arguments = arguments
	k.ready(x, &pre)
	if callDigest(pre.Step, pre.Tool, pre.Arguments) == before { // or all that was changed does not fit the tool
		return append(cost, k.askStepAgain(x, pre, errNotUnderstood)...), nil
	}
	return append(cost, k.askStepAgain(x, pre, errChanged)...), nil
}

// What is said when a step is shown again after a person's words.
var (
	errNotUnderstood = errors.New("no change of the call")
	errChanged       = errors.New("changed as the words say")
)

// askStepAgain shows the step again with what is wrong, a bounded number of
// times; then it is left out.
func (k kit) askStepAgain(x *workflow.Exec, pre prepared, wrong error) []graph.Write {
	var note string
	switch {
	case errors.Is(wrong, errChanged):
		note = x.Phrase("orchestrator.step.confirm_change")
	case errors.Is(wrong, errNotUnderstood):
		note = x.Phrase("orchestrator.step.not_decided")
	case errors.Is(wrong, tool.ErrUnknown):
		note = x.Phrase("orchestrator.step.tool_gone")
	default:
		note = x.Phrase("orchestrator.step.refused", fit.Clip(tool.Sentence(wrong, x.Request.Language), 600))
	}
	pre.Notes, pre.Granted = append([]string{note}, pre.Notes...), ""
	if pre.Rounds > k.cfg.Limits.Asked {
		return []graph.Write{
			k.prepared.Set(pre), k.next.Set(toSkip), k.made.Set(attempt{Skipped: true, Reason: x.Phrase("orchestrator.step.unsettled")}),
		}
	}
	return []graph.Write{k.prepared.Set(pre), k.next.Set(toAgain)}
}
