package orchestrator

import (
	"context"
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

// editCall takes changed values over. They are for the same tool, so a valid edit
// counts as approved.
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
		arguments = reply.Calls[0].Arguments
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

// argumentsInWords asks the model to change the call as a person said.
func (k kit) argumentsInWords(ctx context.Context, s graph.State, x *workflow.Exec, pre prepared, spec tool.Spec, words string) (host.Reply, error) {
	st, _ := k.stepAt(s)
	text, err := k.prompt("arguments", s, x, map[string]any{
		"Step": st, "Tool": spec, "Progress": k.progress(s, x), "Schema": readable(spec.Parameters), "Before": string(pre.Arguments),
	})
	if err != nil {
		return host.Reply{}, err
	}
	return host.Talk(ctx, x, "edit", llm.Request{
		Purpose: llm.ForExtract, Messages: system(text, user(clip(words, 2000))), Tools: offered(x, []tool.Spec{spec}), ToolChoice: spec.Name,
	}, false)
}

// errNotUnderstood says that a person's words are no change of a call.
var errNotUnderstood = errors.New("not understood")

// askStepAgain shows the step again with what is wrong, a bounded number of
// times; then it is left out.
func (k kit) askStepAgain(x *workflow.Exec, pre prepared, wrong error) []graph.Write {
	var note string
	var e *tool.Error
	switch {
	case errors.Is(wrong, errNotUnderstood):
		note = x.Say("어떻게 고칠지 이해하지 못했어요. 수정 버튼으로 값을 직접 고쳐 주세요.", "I did not understand the change. Please change the values with the edit button.")
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
