package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/phrase/fit"
)

// Redoes implements agent.Redoer.
func (a *Agent) Redoes() {}

// redo begins a run with the task of an earlier one, as its plan was in the end.
// The steps before the one to go on from keep their results; everything that was
// granted is asked about again.
func (a *Agent) redo(ctx context.Context, req agent.Request) error {
	x := a.Exec(req, nil)
	return a.Host.Redo(ctx, req, "process_clarification_feedback", func(then graph.State) ([]graph.Write, error) {
		return a.state.again(then, x)
	})
}

// again is what an earlier run's state becomes when its task is carried out once
// more from a step on. It leads to the planning, which takes the plan as it is and
// shows it where plans are approved.
func (c channels) again(then graph.State, x *workflow.Exec) ([]graph.Write, error) {
	n, p := x.Request.Redo.Step, c.plan.Get(then)
	if c.input.Get(then) == "" { // its question was deleted
		return nil, &agent.Failure{Code: host.RedoGone, Err: errors.New("the task was forgotten")}
	}
	done := slices.IndexFunc(p.Steps, func(st step) bool { return c.outcomeOf(then, st.ID).State == "" })
	if done < 0 {
		done = len(p.Steps)
	}
	if n < 1 || n > len(p.Steps) || n > done+1 {
		return nil, &agent.Failure{Code: host.RedoStep, Err: fmt.Errorf("step %d of %d, of which %d were worked on", n, len(p.Steps), done)}
	}
	p.Granted, p.By, p.Rounds, p.Replans, p.Edited, p.Notes = "", "", 0, 0, false, nil
	p.Redo, p.Ran = true, nil
	var gone []string
	for _, st := range p.Steps[n-1:] {
		if o := c.outcomeOf(then, st.ID); len(o.Calls) > 0 {
			p.Ran = append(p.Ran, st.ID)
		}
		gone = append(gone, st.ID)
	}
	spent := c.spent.Get(then)
	return []graph.Write{
		c.plan.Set(p), c.current.Set(n - 1), c.outcomes.Remove(gone...), c.next.Set(toClear),
		c.prepared.Set(prepared{}), c.made.Set(attempt{}), c.decided.Set(decided{}), c.waited.Set(0),
		c.history.Set(nil), c.notes.Set([]string{x.Phrase("orchestrator.redo.from", n)}), c.problem.Set(""), c.answer.Set(""), c.passages.Set(nil),
		c.spent.Add(llm.Usage{Input: -spent.Input, Output: -spent.Output, Cached: -spent.Cached}), c.calls.Add(-c.calls.Get(then)),
		c.clarity.Set(c.clarity.Get(then).taught()),
	}, nil
}

// taught is how clear a task is whose answers have been learned from already.
func (c clarity) taught() clarity {
	c.Reused, c.Auto, c.Answers = "", false, slices.Clone(c.Answers)
	for i := range c.Answers {
		c.Answers[i].Own = false
	}
	return c
}

// takeUp is the plan of a task that is carried out once more, as it is shown.
func takeUp(x *workflow.Exec, p plan) plan {
	p.Redo = false
	p = numberSteps(x, p)
	var texts []string
	for _, st := range p.Steps {
		if repeats(p, st, st.Effect) {
			texts = append(texts, "“"+fit.Clip(st.Text, 80)+"”")
		}
	}
	if len(texts) > 0 {
		p.Notes = []string{x.Phrase("orchestrator.redo.ran_plan", list(texts))}
	}
	return p
}

// repeats reports whether a step would do once more what an earlier run may have
// done already, and that is more than reading.
func repeats(p plan, st step, e agent.Effect) bool {
	return slices.Contains(p.Ran, st.ID) && rank(e) > rank(agent.EffectReads)
}
