package orchestrator

import (
	"encoding/json"
	"fmt"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
	"maru/phrase/fit"
)

// showPlan emits the progress of the plan. running is the current step, "" for none.
func showPlan(x *workflow.Exec, p plan, done []outcome, running string) {
	view := agent.Plan{Title: p.Title, Steps: planProgress(x, p, done, running)}
	if raw, err := json.Marshal(view); err == nil {
		x.Emit(agent.Event{Kind: agent.EventPlan, Name: "plan", Data: raw})
	}
}

// showAgain emits the plan of a resumed turn, even before its first step: a rejection
// then has something to refer to.
func (c channels) showAgain(x *workflow.Exec, s graph.State) {
	p, pre, done := c.plan.Get(s), c.prepared.Get(s), c.outcomes.Get(s)
	if len(p.Steps) == 0 {
		return
	}
	running := ""
	if st, ok := c.stepAt(s); ok && st.ID == pre.Step && c.outcomeOf(s, st.ID).State == "" {
		running = st.ID
	}
	showPlan(x, p, done, running)
}

// planProgress returns the whole plan with the state of each step.
func planProgress(x *workflow.Exec, p plan, done []outcome, running string) []agent.PlanStep {
	steps := planView(x, p.Steps, maxValues)
	for i, s := range p.Steps {
		if s.ID == running {
			steps[i].State = agent.StepRunning
			continue
		}
		for _, o := range done {
			if o.Step == s.ID {
				steps[i].State = o.State
				steps[i].Detail = outcomeDetail(x, s, o)
			}
		}
	}
	return steps
}

// maxValues limits a call's arguments where its progress is shown. Where they are approved they are complete.
const maxValues = 300

// planView returns the steps as people see them, with at most limit characters of the
// values of each call, all with 0.
func planView(x *workflow.Exec, steps []step, limit int) []agent.PlanStep {
	out := make([]agent.PlanStep, len(steps))
	for i, s := range steps {
		out[i] = agent.PlanStep{Text: s.Text, Detail: stepDetail(x, s, limit), Effect: s.Effect}
	}
	return out
}

// stepDetail names the tool of a step, and its arguments if they are known.
func stepDetail(x *workflow.Exec, s step, limit int) string {
	parts := []string{}
	if s.Detail != "" {
		parts = append(parts, s.Detail)
	}
	if s.Tool != "" {
		name := toolTitle(x, s.Tool)
		if name != s.Tool {
			name += " (" + s.Tool + ")"
		}
		if len(s.Arguments) > 0 {
			values := node.Legible(s.Arguments)
			if limit > 0 {
				values = fit.Clip(values, limit)
			}
			name += " " + values
		}
		parts = append(parts, x.Phrase("orchestrator.tool", name))
		if limit == 0 && len(s.Arguments) > 0 {
			if open := node.Unsettled(x, s.Tool, s.Arguments); open != "" {
				parts = append(parts, open)
			}
		}
	}
	return strings.Join(parts, " · ")
}

func outcomeDetail(x *workflow.Exec, s step, o outcome) string {
	var parts []string
	if s.Tool != "" {
		parts = append(parts, toolTitle(x, s.Tool))
	}
	if o.Reason != "" {
		parts = append(parts, o.Reason)
	}
	if o.Auto {
		parts = append(parts, x.Phrase("orchestrator.auto_approved"))
	}
	if o.Millis >= 100 {
		parts = append(parts, x.Phrase("orchestrator.seconds", float64(o.Millis)/1000))
	}
	return strings.Join(parts, " · ")
}

// numbered formats texts as a numbered list.
func numbered(texts []string) string {
	var b strings.Builder
	for i, t := range texts {
		fmt.Fprintf(&b, "%d. %s\n", i+1, fit.OneLine(t))
	}
	return strings.TrimSpace(b.String())
}

func stepTexts(steps []step) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = s.Text
	}
	return out
}

// list joins names with commas.
func list(names []string) string { return strings.Join(names, ", ") }
