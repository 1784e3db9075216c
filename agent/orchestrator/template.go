package orchestrator

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/memory/longterm"
	"maru/phrase/fit"
)

// Categories of finished tasks, by their plan's gravest effect.
const (
	workThinks   = "think"   // no tool
	workLooksUp  = "look_up" // tools that read
	workSends    = "send"
	workWrites   = "write"
	workExecutes = "execute"
)

// categoryOf returns the category of a plan.
func categoryOf(steps []step) string {
	if !slices.ContainsFunc(steps, func(s step) bool { return s.Tool != "" }) {
		return workThinks
	}
	switch gravest(steps) {
	case agent.EffectReads:
		return workLooksUp
	case agent.EffectSends:
		return workSends
	case agent.EffectWrites:
		return workWrites
	}
	return workExecutes
}

// template returns the proven plan for tasks like this one, to lead the successful plans in the prompt.
func (m memories) template(ctx context.Context, x *workflow.Exec, task string) (*planned, error) {
	return recall(ctx, m, x, "template", func(ctx context.Context, o longterm.Owner) (*planned, error) {
		h, ok, err := m.memory.Workflows.Template(ctx, o, task)
		if err != nil || !ok || len(h.Data.Plan) == 0 {
			return nil, err
		}
		p := &planned{
			Record: h.Record.ID, Task: h.Data.Query, Confidence: h.Confidence, Samples: h.Data.Successes,
			Template: true, Answered: h.Data.Answered,
		}
		for _, s := range h.Data.Plan {
			p.Steps = append(p.Steps, step{Text: s.Text, Tool: s.Tool})
		}
		return p, nil
	})
}

// pastPlans returns the earlier plans for a prompt: the template, then successful plans of similar tasks.
func (p planner) pastPlans(ctx context.Context, x *workflow.Exec, task string) ([]planned, error) {
	past, err := p.memory.similarPlans(ctx, x, task)
	if err != nil {
		return nil, err
	}
	t, err := p.memory.template(ctx, x, task)
	if t == nil || err != nil {
		return past, err
	}
	return append([]planned{*t}, slices.DeleteFunc(past, func(o planned) bool { return o.Task == t.Task })...), nil
}

// withToolsOf adds the tools of earlier plans to the recommended ones.
func withToolsOf(x *workflow.Exec, tools []tool.Spec, past []planned) []tool.Spec {
	for _, p := range past[:min(len(past), 1)] {
		for _, st := range p.Steps {
			spec, ok := toolNamed(x, st.Tool)
			if ok && !slices.ContainsFunc(tools, func(t tool.Spec) bool { return t.Name == spec.Name }) {
				tools = append(tools, spec)
			}
		}
	}
	return tools
}

// fromTemplate returns the earlier plan of the same task without asking the model, if the person will see it
// before it runs. All of its tools must exist, and it must contain nothing that the task does not state, such as
// answers or other numbers.
func (p planner) fromTemplate(s graph.State, x *workflow.Exec, past []planned) (drafted, bool) {
	task := p.input.Get(s)
	if len(past) == 0 || !past[0].Template || past[0].Answered || !longterm.SameTask(past[0].Task, task) {
		return drafted{}, false
	}
	if !x.Request.Approvals.Plan || len(p.plan.Get(s).Steps) > 0 || len(p.clarity.Get(s).Answers) > 0 || p.clarity.Get(s).Undone {
		return drafted{}, false
	}
	var d drafted
	for _, st := range past[0].Steps {
		if _, ok := toolNamed(x, st.Tool); st.Tool != "" && !ok {
			return drafted{}, false
		}
		for _, n := range numbers.FindAllString(st.Text, -1) {
			if !slices.Contains(numbers.FindAllString(task, -1), n) {
				return drafted{}, false
			}
		}
		d.Steps = append(d.Steps, draftStep{Text: st.Text, Tool: st.Tool})
	}
	return d, len(d.Steps) <= p.limits.Steps
}

var numbers = regexp.MustCompile(`\d+`)

// followed reports, to the person and in the trace, which earlier task a new plan is based on.
func followed(x *workflow.Exec, m planned) string {
	kind, note := longterm.KindPlan, x.Phrase("orchestrator.after_past_plan", fit.Clip(m.Task, 80), 100*m.Confidence, m.Samples)
	if m.Template {
		kind, note = longterm.KindWorkflow, x.Phrase("orchestrator.from_template", fit.Clip(strings.TrimSpace(m.Task), 80), m.Samples)
	}
	tellUsed(x, agent.Known{ID: m.Record, Kind: string(kind), Text: m.Task, Why: x.Phrase("orchestrator.why.plan", m.Confidence, m.Samples)})
	return note
}
