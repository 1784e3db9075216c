package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
)

// supervisor records the outcome of a step and decides how the plan continues.
type supervisor struct {
	stage

	limits Limits
}

func (v supervisor) stepCompletion() workflow.Type {
	return v.define("step_completion", "Verifies from the result whether the step succeeded, and saves the result.",
		v.complete, nil, v.outcomes.Name(), v.made.Name())
}

func (v supervisor) complete(_ context.Context, s graph.State, x *workflow.Exec, _ none) ([]graph.Write, error) {
	st, _ := v.stepAt(s)
	made, o := v.made.Get(s), v.outcomeOf(s, st.ID)
	code, reason := failureOf(x, made)
	o.State, o.Text, o.From, o.Based, o.Code, o.Reason = agent.StepDone, made.Text, made.From, made.Based, code, reason
	o.Calls, o.Millis, o.Auto = append(o.Calls[:len(o.Calls):len(o.Calls)], made.Calls...), o.Millis+made.Millis, v.prepared.Get(s).Auto
	o.Tries++
	switch {
	case made.Skipped:
		o.State, o.Tries = agent.StepSkipped, o.Tries-1
	case code != "":
		o.State = agent.StepFailed
	}
	o.JSON, o.Markdown = resultFiles(x, st, o)
	showPlan(x, v.plan.Get(s), append(without(v.outcomes.Get(s), o.Step), o), "")
	return []graph.Write{v.outcomes.Add(o), v.made.Set(attempt{})}, nil
}

func without(list []outcome, id string) []outcome {
	return slices.DeleteFunc(slices.Clone(list), func(o outcome) bool { return o.Step == id })
}

// failureOf returns why an attempt failed, as a code and as text, "" on success. [consent.Call.Judge] has judged
// each call; this is about the attempt as a whole.
func failureOf(x *workflow.Exec, made attempt) (code failure, reason string) {
	verdict, said := tool.Judge(made.Text)
	switch {
	case made.Skipped:
		return "", made.Reason
	case made.Code != "":
		return made.Code, made.Reason
	case verdict == tool.Empty:
		return codeEmpty, x.Phrase("agent.result_empty")
	case tool.OpensAsError(made.Text):
		return codeReported, x.Phrase("agent.result_failed", tool.Quoted(said))
	}
	return "", ""
}

// maxSaved bounds a step's result in each of its files, in bytes.
const maxSaved = 32 << 10

// resultFiles formats a step's result as JSON and as Markdown. If encoding fails, the JSON omits the calls.
func resultFiles(x *workflow.Exec, st step, o outcome) (asJSON, asMarkdown string) {
	file := struct {
		Step    string          `json:"step"`
		Text    string          `json:"text"`
		Tool    string          `json:"tool,omitempty"`
		State   agent.StepState `json:"state"`
		Reason  string          `json:"reason,omitempty"`
		Result  string          `json:"result,omitempty"`
		Calls   []called        `json:"calls,omitempty"`
		Seconds float64         `json:"seconds"`
	}{st.ID, st.Text, st.Tool, o.State, o.Reason, tool.Bound(o.Text, maxSaved), o.Calls, time.Duration(o.Millis * int64(time.Millisecond)).Seconds()}
	raw, err := json.MarshalIndent(file, "  ", "  ")
	if err != nil { // a call's arguments are not valid JSON
		file.Calls = nil
		if raw, err = json.MarshalIndent(file, "  ", "  "); err != nil {
			raw = nil
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", st.Text)
	if o.Reason != "" {
		fmt.Fprintf(&b, "_%s: %s_\n\n", stateWord(x, o.State), o.Reason)
	}
	if o.Text != "" {
		b.WriteString(tool.Bound(o.Text, maxSaved) + "\n")
	}
	return string(raw), b.String()
}

// stateWord returns the name of a step's state.
func stateWord(x *workflow.Exec, state agent.StepState) string {
	switch state {
	case agent.StepDone:
		return x.Phrase("orchestrator.state.done")
	case agent.StepFailed:
		return x.Phrase("orchestrator.state.failed")
	case agent.StepSkipped:
		return x.Phrase("orchestrator.state.skipped")
	}
	return x.Phrase("orchestrator.state.not_done")
}
