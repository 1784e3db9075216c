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

// statistics are how far a plan is.
type statistics struct {
	Total      int     `json:"total"`
	Completed  int     `json:"completed"` // worked on: successful, failed or skipped
	Successful int     `json:"successful"`
	Failed     int     `json:"failed"`
	Skipped    int     `json:"skipped"`
	Validation float64 `json:"validation_rate"` // successful of those that ran, 0..1
	Percentage float64 `json:"percentage"`      // completed of all, 0..100
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
		n.Percentage = 100 * float64(n.Completed) / float64(n.Total)
	}
	return n
}

// What the planner may do about a failed step.
const (
	doRetry  = "retry"
	doReplan = "replan"
	doGoOn   = "go_on"
	doEnd    = "end" // never the planner's: there is none that answers
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

func (k kit) checkContinue() workflow.Type {
	return k.define("check_continue", "Counts how far the plan is; after a failure the planner retries the step, plans anew or goes on.",
		k.goOn, []string{toNext, toReplan, toDone}, k.current.Name(), k.plan.Name(), k.notes.Name())
}

func (k kit) goOn(ctx context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	p, i := k.plan.Get(s), k.current.Get(s)
	stats := count(p.Steps, k.outcomes.Get(s))
	if raw, err := json.Marshal(stats); err == nil {
		x.Emit(agent.Event{Kind: agent.EventCustom, Name: "progress", Data: raw})
	}
	st, _ := k.stepAt(s)
	decision, writes, err := k.afterFailure(ctx, s, x, st)
	if err != nil {
		return nil, err
	}
	switch {
	case decision == doEnd:
		return append(writes, k.current.Set(len(p.Steps)), k.next.Set(toDone)), nil
	case decision == doRetry:
		return append(writes, k.next.Set(toNext)), nil
	case decision == doReplan:
		p.Replans++
		return append(writes, k.plan.Set(p), k.next.Set(toReplan)), nil
	case i+1 < len(p.Steps):
		return append(writes, k.current.Set(i+1), k.next.Set(toNext)), nil
	}
	return append(writes, k.current.Set(i+1), k.next.Set(toDone)), nil
}

// afterFailure lets the planner decide about a step that failed, within bounds.
// What another attempt cannot mend is not asked about.
func (k kit) afterFailure(ctx context.Context, s graph.State, x *workflow.Exec, st step) (string, []graph.Write, error) {
	o, p := k.outcomeOf(s, st.ID), k.plan.Get(s)
	if o.State != agent.StepFailed || o.Code == codeNeedsApproval || o.Code == codeForbidden || k.seed.Get(s).Tool != "" {
		return doGoOn, nil, nil
	}
	mayRetry, mayReplan := o.Tries < k.cfg.Limits.Tries, p.Replans < k.cfg.Limits.Replans
	if !mayRetry && !mayReplan {
		return doGoOn, nil, nil
	}
	text, err := k.prompt("failure", s, x, map[string]any{
		"Step": st, "Outcome": o, "Progress": k.progress(s, x), "MayRetry": mayRetry, "MayReplan": mayReplan,
	})
	if err != nil {
		return "", nil, err
	}
	req := llm.Request{Purpose: llm.ForReview, Messages: system(text, user(k.input.Get(s)))}
	got, err := workflow.Fill[onFailure](ctx, x, "failure", req, failureShape)
	if err != nil {
		if workflow.Silent(ctx, err) {
			return doEnd, nil, nil
		}
		return "", nil, err
	}
	writes := k.cost(got.Usage, 1)
	d := got.Value.Decision
	switch {
	case d == doRetry && mayRetry:
		x.Doing("orchestrator.trying_again", fit.Clip(st.Text, 60))
		return doRetry, writes, nil
	case d == doReplan && mayReplan:
		note := x.Phrase("orchestrator.replanned", fit.Clip(st.Text, 80))
		return doReplan, append(writes, k.notes.Add(note)), nil
	}
	return doGoOn, writes, nil
}
