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

// show tells people how far the plan is. running is the step that is worked on,
// "" for none.
func (k kit) show(x *workflow.Exec, p plan, done []outcome, running string) {
	view := agent.Plan{Title: p.Title, Steps: k.planned(x, p, done, running)}
	if raw, err := json.Marshal(view); err == nil {
		x.Emit(agent.Event{Kind: agent.EventPlan, Name: "plan", Data: raw})
	}
}

// showAgain tells people how far the plan of a turn is that goes on. One that was
// not begun is shown as well: a refusal is of something.
func (k kit) showAgain(x *workflow.Exec, s graph.State) {
	p, pre, done := k.plan.Get(s), k.prepared.Get(s), k.outcomes.Get(s)
	if len(p.Steps) == 0 {
		return
	}
	running := ""
	if st, ok := k.stepAt(s); ok && st.ID == pre.Step && k.outcomeOf(s, st.ID).State == "" {
		running = st.ID
	}
	k.show(x, p, done, running)
}

// planned is the whole plan with how far each step is.
func (k kit) planned(x *workflow.Exec, p plan, done []outcome, running string) []agent.PlanStep {
	steps := k.view(x, p.Steps)
	for i, s := range p.Steps {
		if s.ID == running {
			steps[i].State = agent.StepRunning
			continue
		}
		for _, o := range done {
			if o.Step == s.ID {
				steps[i].State = o.State
				steps[i].Detail = k.outcomeDetail(x, s, o)
			}
		}
	}
	return steps
}

// view is the steps as people see them.
func (k kit) view(x *workflow.Exec, steps []step) []agent.PlanStep {
	out := make([]agent.PlanStep, len(steps))
	for i, s := range steps {
		out[i] = agent.PlanStep{Text: s.Text, Detail: k.stepDetail(x, s), Effect: s.Effect}
	}
	return out
}

// stepDetail names the tool of a step, and its values if they are known.
func (k kit) stepDetail(x *workflow.Exec, s step) string {
	parts := []string{}
	if s.Detail != "" {
		parts = append(parts, s.Detail)
	}
	if s.Tool != "" {
		name := k.titleOf(x, s.Tool)
		if name != s.Tool {
			name += " (" + s.Tool + ")"
		}
		if len(s.Arguments) > 0 {
			name += " " + fit.Clip(node.Legible(s.Arguments), 300)
		}
		parts = append(parts, x.Phrase("orchestrator.tool", name))
	}
	return strings.Join(parts, " · ")
}

func (k kit) outcomeDetail(x *workflow.Exec, s step, o outcome) string {
	var parts []string
	if s.Tool != "" {
		parts = append(parts, k.titleOf(x, s.Tool))
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

// numbered writes texts as a numbered list.
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

// list writes names in a row.
func list(names []string) string { return strings.Join(names, ", ") }
