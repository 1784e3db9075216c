package orchestrator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/tool"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// stepAt returns the current step.
func (c channels) stepAt(s graph.State) (step, bool) {
	steps, i := c.plan.Get(s).Steps, c.current.Get(s)
	if i < 0 || i >= len(steps) {
		return step{}, false
	}
	return steps[i], true
}

// outcomeOf returns the outcome of a step so far.
func (c channels) outcomeOf(s graph.State, id string) outcome {
	list := c.outcomes.Get(s)
	if i := slices.IndexFunc(list, func(o outcome) bool { return o.Step == id }); i >= 0 {
		return list[i]
	}
	return outcome{Step: id}
}

// undone returns the steps without an outcome.
func (c channels) undone(s graph.State) []draftStep {
	var left []draftStep
	for _, st := range c.plan.Get(s).Steps {
		if c.outcomeOf(s, st.ID).State == "" {
			left = append(left, draftStep{st.Text, st.Detail, st.Tool})
		}
	}
	return left
}

// progress describes the results of the steps so far for a prompt.
func (c channels) progress(ctx context.Context, s graph.State) string {
	var b strings.Builder
	for i, st := range c.plan.Get(s).Steps {
		o := c.outcomeOf(s, st.ID)
		state := cmp.Or(string(o.State), "not done yet")
		fmt.Fprintf(&b, "%d. %s (%s)", i+1, st.Text, state)
		if o.Reason != "" {
			b.WriteString(": " + o.Reason)
		}
		if o.Text != "" {
			b.WriteString("\n" + o.revealed(ctx, workflow.ExecOf(s), maxShown))
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// revealed returns a step's result for a model, with the messages that it points at, which no step's record contains; outsiders'
// words are marked.
func (o outcome) revealed(ctx context.Context, x *workflow.Exec, limit int) string {
	text := tool.Observe(tool.Result{Text: tool.Bound(o.Text, limit), From: o.From}, nil)
	if len(o.Calls) == 0 {
		return text
	}
	last := o.Calls[len(o.Calls)-1]
	return node.Reveal(ctx, x, last.Tool, last.Arguments, text)
}

// maxShown limits a step's result in another step's prompt, in bytes.
const maxShown = 4 << 10

// continuesWithoutModel reports whether a task continues although the model failed: steps have run, and a new try
// would repeat them.
func (c channels) continuesWithoutModel(ctx context.Context, s graph.State, err error) bool {
	return workflow.Silent(ctx, err) && len(c.outcomes.Get(s)) > 0
}

// cost adds a recorded reply to the spending of the turn.
func (c channels) cost(used llm.Usage, calls int) []graph.Write {
	return []graph.Write{c.spent.Add(used), c.calls.Add(calls)}
}

// numberSteps gives new steps an id and every step the effect of its tool. A step
// without a tool is offered read-only ones.
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
		if len(st.Arguments) > 0 && st.Shown == "" {
			st.Arguments, st.Shown = call{Tool: st.Tool, Arguments: st.Arguments}.Filled(x).Arguments, x.Digest(st.Tool)
		}
	}
	return p
}
