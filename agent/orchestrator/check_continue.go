package orchestrator

import (
	"context"
	"encoding/json"
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/phrase/fit"
)

// statistics describe the progress of a plan.
type statistics struct {
	Total      int     `json:"total"`
	Completed  int     `json:"completed"` // successful, failed or skipped
	Successful int     `json:"successful"`
	Failed     int     `json:"failed"`
	Skipped    int     `json:"skipped"`
	Validation float64 `json:"validation_rate"` // successful / (successful + failed), 0..1
	Percentage float64 `json:"percentage"`      // (successful + skipped) / total, 0..100: a failure is never part of it
}

// count counts the outcomes of a plan's steps.
func count(steps []step, outcomes []outcome) statistics {
	n := statistics{Total: len(steps)}
	for _, o := range outcomes {
		if !slices.ContainsFunc(steps, func(s step) bool { return s.ID == o.Step }) {
			continue
		}
		n.Completed++
		switch o.State {
		case agent.StepDone:
			n.Successful++
		case agent.StepFailed:
			n.Failed++
		case agent.StepSkipped:
			n.Skipped++
		}
	}
	if ran := n.Successful + n.Failed; ran > 0 {
		n.Validation = float64(n.Successful) / float64(ran)
	}
	if n.Total > 0 {
		n.Percentage = 100 * float64(n.Successful+n.Skipped) / float64(n.Total)
	}
	return n
}

// Decisions after a failed step.
const (
	doRetry  = "retry"
	doReplan = "replan"
	doGoOn   = "go_on"
	doEnd    = "end" // no planner is available
)

type onFailure struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}

var failureShape = llm.MustShape("after_failure", `{
  "type": "object",
  "properties": {
    "decision": {"type": "string", "enum": ["retry", "replan", "go_on"]},
    "reason": {"type": "string", "description": "a few words, in the person's language"}
  },
  "required": ["decision", "reason"],
  "additionalProperties": false
}`)

func (v supervisor) checkContinue() workflow.Type {
	return v.define("check_continue", "Counts how far the plan is; after a failure the planner retries the step, plans anew or goes on.",
		v.goOn, []string{toNext, toReplan, toDone}, v.current.Name(), v.plan.Name(), v.notes.Name())
}

func (v supervisor) goOn(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	p, i := v.plan.Get(s), v.current.Get(s)
	stats := count(p.Steps, v.outcomes.Get(s))
	if raw, err := json.Marshal(stats); err == nil {
		x.Emit(agent.Event{Kind: agent.EventCustom, Name: "progress", Data: raw})
	}
	st, _ := v.stepAt(s)
	decision, writes, err := v.afterFailure(ctx, s, x, st)
	if err != nil {
		return nil, err
	}
	switch {
	case decision == doEnd:
		return append(writes, v.current.Set(len(p.Steps)), v.next.Set(toDone)), nil
	case decision == doRetry:
		return append(writes, v.next.Set(toNext)), nil
	case decision == doReplan:
		p.Replans++
		return append(writes, v.plan.Set(p), v.next.Set(toReplan)), nil
	case i+1 < len(p.Steps):
		return append(writes, v.current.Set(i+1), v.next.Set(toNext)), nil
	}
	return append(writes, v.current.Set(i+1), v.next.Set(toDone)), nil
}

// afterFailure lets the planner decide about a failed step, within bounds. Failures
// that another attempt cannot fix are not submitted.
func (v supervisor) afterFailure(ctx context.Context, s graph.State, x *workflow.Exec, st step) (string, []graph.Write, error) {
	o, p := v.outcomeOf(s, st.ID), v.plan.Get(s)
	if o.State == agent.StepFailed && o.Code == codeUnsure {
		if _, asks := v.unsureCall(s, x, st); asks {
			return doRetry, nil, nil
		}
		return doGoOn, nil, nil // nobody can be asked, and it must not be repeated
	}
	if o.State != agent.StepFailed || o.Code.refusal() || v.seed.Get(s).Tool != "" {
		return doGoOn, nil, nil
	}
	mayRetry, mayReplan := o.Tries < v.limits.Tries, p.Replans < v.limits.Replans
	if !mayRetry && !mayReplan {
		return doGoOn, nil, nil
	}
	text, err := v.prompt("failure", s, x, map[string]any{
		"Step": st, "Outcome": o, "Progress": v.progress(ctx, s), "MayRetry": mayRetry, "MayReplan": mayReplan,
	})
	if err != nil {
		return "", nil, err
	}
	req := llm.Request{Purpose: llm.ForReview, Messages: system(text, user(v.input.Get(s)))}
	got, err := workflow.Fill[onFailure](ctx, x, "failure", req, failureShape)
	if err != nil {
		if workflow.Silent(ctx, err) {
			return doEnd, nil, nil
		}
		return "", nil, err
	}
	writes := v.cost(got.Usage, 1)
	d := got.Value.Decision
	switch {
	case d == doRetry && mayRetry:
		x.Doing("orchestrator.trying_again", fit.Clip(st.Text, 60))
		return doRetry, writes, nil
	case d == doReplan && mayReplan:
		note := x.Phrase("orchestrator.replanned", fit.Clip(st.Text, 80))
		return doReplan, append(writes, v.notes.Add(note)), nil
	}
	return doGoOn, writes, nil
}
