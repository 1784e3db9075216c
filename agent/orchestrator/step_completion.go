package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/phrase/fit"
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
	o.State, o.Text, o.Code, o.Reason = agent.StepDone, made.Text, code, reason
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
	var out []outcome
	for _, o := range list {
		if o.Step != id {
			out = append(out, o)
		}
	}
	return out
}

// failures matches results that report a failure although the tool did not.
var failures = regexp.MustCompile(`(?i)^\s*(?:error\b|(?:오류|실패|에러)[\s:：]|exception\b|traceback \(most recent call last\)|fatal:|panic:|http(?:/[\d.]+)? ?[45]\d\d\b|[45]\d\d (?:bad request|unauthorized|forbidden|not found|internal server error|bad gateway|service unavailable|gateway timeout)|access denied|permission denied)`)

// failureOf returns why an attempt failed, as a code and as text, "" if it did not.
func failureOf(x *workflow.Exec, made attempt) (code, reason string) {
	var typed struct {
		IsError bool            `json:"isError"`
		Error   json.RawMessage `json:"error"`
		OK      *bool           `json:"ok"`
	}
	text := strings.TrimSpace(made.Text)
	switch {
	case made.Skipped:
		return "", made.Reason
	case made.Code != "":
		return made.Code, made.Reason
	case text == "" || text == "null" || text == "{}" || text == "[]":
		return codeEmpty, x.Phrase("orchestrator.result_empty")
	case strings.HasPrefix(text, "{") && json.Unmarshal([]byte(text), &typed) == nil &&
		(typed.IsError || (typed.OK != nil && !*typed.OK) || hasError(typed.Error)):
		return codeReported, x.Phrase("orchestrator.result_failed", fit.Clip(text, 200))
	case failures.MatchString(text):
		return codeReported, x.Phrase("orchestrator.result_failed", fit.Clip(firstLine(text), 200))
	}
	return "", ""
}

// hasError reports whether the member "error" of a result is set.
func hasError(raw json.RawMessage) bool {
	switch string(raw) {
	case "", "null", "false", `""`, "0", "{}", "[]":
		return false
	}
	return true
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// maxSaved bounds a step's result in each of its files, in bytes.
const maxSaved = 32 << 10

// resultFiles formats a step's result as JSON and as Markdown. If the JSON cannot be
// written, the calls are left out of it.
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
	if err != nil { // a call's arguments are not JSON
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
