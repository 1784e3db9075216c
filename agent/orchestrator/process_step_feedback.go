package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
)

func (k kit) stepFeedback() workflow.Type {
	return k.define("process_step_feedback", "Takes the decision in: changed values are validated, and what was granted is what runs.",
		k.takeStep, []string{toAgain, toRun, toSkip}, k.prepared.Name(), k.history.Name(), k.made.Name())
}

func (k kit) takeStep(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	pre := k.prepared.Get(s)
	pre.Rounds++
	pre.Notes = nil
	offered := []string{agent.VerbSkip}
	if len(pre.Missing) == 0 {
		offered = append([]string{agent.VerbAccept}, offered...)
	}
	d := k.decided.Get(s).meant(offered...)
	entry := d.entry(kindStep, pre.Step, pre.Tool)
	entry.Millis = k.waited.Get(s)
	noted := k.history.Add(entry)
	switch {
	case d.Expired:
		return k.leaveOut(noted, x.Say("확인해 준 사람이 없어서 건너뛰었어요", "skipped: nobody decided in time")), nil
	case d.Action == agent.VerbSkip:
		return k.leaveOut(noted, x.Say("건너뛰기로 했어요", "skipped by decision")), nil
	case d.Action == agent.VerbAccept:
		pre.Auto = d.Auto
		return append(k.grantCall(x, pre), noted), nil
	}
	return k.editCall(ctx, s, x, pre, d, noted)
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
	if err != nil {
		return k.askStepAgain(x, pre, err)
	}
	pre.Arguments = arguments
	pre.Granted = callDigest(pre.Step, pre.Tool, arguments)
	return []graph.Write{k.prepared.Set(pre), k.next.Set(toRun)}
}

// editCall takes changed values over. Values that a person wrote into the form
// are theirs, for the same tool: they count as approved. What the model makes of
// a person's words is not, so it is shown again before anything runs.
func (k kit) editCall(ctx context.Context, s graph.State, x *workflow.Exec, pre prepared, d decided, noted graph.Write) ([]graph.Write, error) {
	cost := []graph.Write{noted}
	spec, ok := k.spec(x, pre.Tool)
	if !ok {
		return append(cost, k.askStepAgain(x, pre, tool.ErrUnknown)...), nil
	}
	arguments, err := argumentsOf(spec.Parameters, pre.Arguments, d.Values)
	if err != nil {
		return append(cost, k.askStepAgain(x, pre, err)...), nil
	}
	if strings.TrimSpace(d.Text) != "" {
		reply, err := k.argumentsInWords(ctx, s, x, pre, spec, d.Text)
		if err != nil {
			return nil, err
		}
		cost = append(cost, k.cost(reply.Usage, 1)...)
		if len(reply.Calls) == 0 || reply.Calls[0].Name != pre.Tool {
			return append(cost, k.askStepAgain(x, pre, errNotUnderstood)...), nil
		}
		return k.showChanged(x, pre, reply.Calls[0].Arguments, cost)
	}
	pre.Arguments = arguments
	if err := k.ready(x, &pre); err != nil {
		return nil, err
	}
	if len(pre.Missing) == 0 {
		x.Status("고친 값으로 실행할게요…", "Running it with the changed values…")
	}
	return append(cost, k.grantCall(x, pre)...), nil
}

// showChanged asks again about a call that the model changed as a person said.
func (k kit) showChanged(x *workflow.Exec, pre prepared, arguments json.RawMessage, cost []graph.Write) ([]graph.Write, error) {
	if callDigest(pre.Step, pre.Tool, arguments) == callDigest(pre.Step, pre.Tool, pre.Arguments) {
		return append(cost, k.askStepAgain(x, pre, errNotUnderstood)...), nil
	}
	pre.Arguments = arguments
	if err := k.ready(x, &pre); err != nil {
		return nil, err
	}
	return append(cost, k.askStepAgain(x, pre, errChanged)...), nil
}

// argumentsInWords asks the model to change the call as a person said. It may
// call nothing: words can be a refusal or a question too.
func (k kit) argumentsInWords(ctx context.Context, s graph.State, x *workflow.Exec, pre prepared, spec tool.Spec, words string) (host.Reply, error) {
	st, _ := k.stepAt(s)
	text, err := k.prompt("arguments", s, x, map[string]any{
		"Step": st, "Tool": spec, "Progress": k.progress(s, x), "Schema": readable(spec.Parameters), "Before": string(pre.Arguments),
	})
	if err != nil {
		return host.Reply{}, err
	}
	return host.Talk(ctx, x, "edit", llm.Request{
		Purpose: llm.ForExtract, Messages: system(text, user(clip(words, 2000))), Tools: offered(x, []tool.Spec{spec}),
	}, false)
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
	var e *tool.Error
	switch {
	case errors.Is(wrong, errChanged):
		note = x.Say("말씀하신 대로 고쳤어요. 이 값이 맞으면 승인해 주세요.", "I changed it as you said. Please approve if these values are right.")
	case errors.Is(wrong, errNotUnderstood):
		note = x.Say("아무것도 실행하지 않았어요. 값을 바꾸려면 수정, 하지 않으려면 건너뛰기를 눌러 주세요. 다른 질문은 결정한 뒤에 해 주세요.", "Nothing was run. Change the values with Edit, or leave the step out with Skip; ask other questions after deciding.")
	case errors.As(wrong, &e):
		note = fmt.Sprintf(x.Say("이 값으로는 실행할 수 없어요: %s", "This cannot be run: %s"), clip(e.Model, 300))
	default:
		note = fmt.Sprintf(x.Say("이 값으로는 실행할 수 없어요: %s", "This cannot be run: %s"), clip(wrong.Error(), 300))
	}
	pre.Notes, pre.Granted = []string{note}, ""
	if pre.Rounds > k.cfg.Limits.Asked {
		return []graph.Write{
			k.prepared.Set(pre), k.next.Set(toSkip), k.made.Set(attempt{Skipped: true, Reason: x.Say("값을 정하지 못해서 건너뛰었어요", "skipped: its values could not be settled")}),
		}
	}
	return []graph.Write{k.prepared.Set(pre), k.next.Set(toAgain)}
}
