package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
)

// stepAt returns the step that is worked on.
func (c channels) stepAt(s graph.State) (step, bool) {
	steps, i := c.plan.Get(s).Steps, c.current.Get(s)
	if i < 0 || i >= len(steps) {
		return step{}, false
	}
	return steps[i], true
}

// outcomeOf returns what became of a step so far.
func (c channels) outcomeOf(s graph.State, id string) outcome {
	list := c.outcomes.Get(s)
	if i := slices.IndexFunc(list, func(o outcome) bool { return o.Step == id }); i >= 0 {
		return list[i]
	}
	return outcome{Step: id}
}

// undone are the steps that have not been worked on yet.
func (c channels) undone(s graph.State) []draftStep {
	var left []draftStep
	for _, st := range c.plan.Get(s).Steps {
		if c.outcomeOf(s, st.ID).State == "" {
			left = append(left, draftStep{st.Text, st.Detail, st.Tool})
		}
	}
	return left
}

// progress tells the model what the steps so far came to.
func (c channels) progress(s graph.State) string {
	var b strings.Builder
	for i, st := range c.plan.Get(s).Steps {
		o := c.outcomeOf(s, st.ID)
		state := string(o.State)
		if state == "" {
			state = "not done yet"
		}
		fmt.Fprintf(&b, "%d. %s (%s)", i+1, st.Text, state)
		if o.Reason != "" {
			b.WriteString(": " + o.Reason)
		}
		if o.Text != "" {
			b.WriteString("\n" + tool.Bound(o.Text, maxShown))
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// maxShown bounds a step's result in the prompt of another step, in bytes.
const maxShown = 4 << 10

// goesOn reports whether a task goes on although its model does not answer: when
// some of it was carried out, since "please ask again" would have it done twice.
func (c channels) goesOn(ctx context.Context, s graph.State, err error) bool {
	return workflow.Silent(ctx, err) && len(c.outcomes.Get(s)) > 0
}

// cost is what a recorded reply adds to the turn's spending.
func (c channels) cost(used llm.Usage, calls int) []graph.Write {
	return []graph.Write{c.spent.Add(used), c.calls.Add(calls)}
}

// numberSteps gives new steps an id, and every step the effect of its tool. A
// step without a tool reads only: it is offered nothing else.
func numberSteps(x *workflow.Exec, p plan) plan {
	p.Steps = slices.Clone(p.Steps)
	for i := range p.Steps {
		st := &p.Steps[i]
		if st.ID == "" {
			p.NextID++
			st.ID = fmt.Sprintf("s%d", p.NextID)
		}
		st.Effect = agent.EffectReads
		if spec, ok := toolNamed(x, st.Tool); ok {
			st.Effect = spec.Policy.Effect()
		}
	}
	return p
}
