package orchestrator

import (
	"context"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

// An interrupted call that writes or sends may have taken effect, so it is not repeated. The step ends, and a
// person checks and decides: it took effect, run it again, or skip the step.

// callTool makes one call and keeps it if its outcome is unknown.
func (e *execution) callTool(ctx context.Context, name string, c call, shown string) (node.Called, error) {
	got, err := node.CallShown(ctx, e.x, name, c.Tool, c.Arguments, shown)
	if err == nil && got.Unsure {
		e.unsure = &got
	}
	return got, err
}

// markUnsure fails the step for a call of unknown outcome, whatever the model said after it.
func (e *execution) markUnsure() {
	if e.unsure != nil {
		e.made.Text = e.unsure.Text
		e.fail(codeUnsure, e.unsure.Err)
	}
}

// unsureCall returns the call of the step's last attempt if its outcome is unknown and people can be asked about
// it.
func (c channels) unsureCall(s graph.State, x *workflow.Exec, st step) (prepared, bool) {
	o := c.outcomeOf(s, st.ID)
	if o.State != agent.StepFailed || o.Code != codeUnsure || len(o.Calls) == 0 {
		return prepared{}, false
	}
	last := o.Calls[len(o.Calls)-1]
	_, known := toolNamed(x, last.Tool)
	return prepared{Step: st.ID, Tool: last.Tool, Arguments: last.Arguments, Shown: last.Shown, Unsure: true}, known && askingFor(x, last.Tool)
}

// unsureAsk builds the question about a call of unknown outcome.
func unsureAsk(x *workflow.Exec, pre prepared, question string) agent.Ask {
	a := pre.call().WhetherDone(x, question)
	a.Notes = append(a.Notes, pre.Notes...)
	a.Actions = append(a.Actions, agent.Action{Verb: agent.VerbStop, Spoken: true})
	return a
}

// takeUnsure applies the decision about it.
func (v stepReview) takeUnsure(s graph.State, x *workflow.Exec, pre prepared) []graph.Write {
	d := v.decided.Get(s)
	entry := d.entry(kindStep, pre.Step, pre.Tool)
	entry.Millis = v.waited.Get(s)
	noted := v.history.Add(entry)
	switch {
	case d.Expired:
		return v.skipStep(noted, x.Phrase("agent.tool_interrupted"))
	case d.Action == agent.VerbDone:
		return []graph.Write{noted, v.made.Set(attempt{Text: x.Phrase("agent.was_done")}), v.next.Set(toSkip)}
	case d.Action == agent.VerbRerun:
		pre.Unsure, pre.Again = false, true
		return append(v.grantCall(x, pre), noted)
	}
	return v.skipStep(noted, skippedWhy(x, d))
}
