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

// redo starts a run with the final plan of an earlier one. Steps before the chosen one keep their results; all
// approvals are asked for again.
func (a *Agent) redo(ctx context.Context, req agent.Request) error {
	x := a.Exec(req, nil)
	return a.Host.Redo(ctx, req, "process_clarification_feedback", func(then graph.State) ([]graph.Write, error) {
		return a.state.restarted(then, x)
	})
}

// restarted returns the writes that turn an earlier run's state into a run that repeats its task from a step on.
// Planning reuses the plan unchanged and shows it if plans need approval.
func (c channels) restarted(then graph.State, x *workflow.Exec) ([]graph.Write, error) {
	n, p := x.Request.Redo.Step, c.plan.Get(then)
	if c.input.Get(then) == "" { // its question was deleted
		return nil, &agent.Failure{Code: host.RedoGone, Err: errors.New("the task was forgotten")}
	}
	done := slices.IndexFunc(p.Steps, func(st step) bool { return c.outcomeOf(then, st.ID).State == "" })
	if done < 0 {
		done = len(p.Steps)
	}
	if n < 1 || n > len(p.Steps) || n > done+1 {
		return nil, &agent.Failure{Code: host.RedoStep, Err: fmt.Errorf("step %d of %d, %d attempted", n, len(p.Steps), done)}
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
		c.clarity.Set(c.clarity.Get(then).withoutLessons()),
	}, nil
}

// withoutLessons returns the clarity of a task without answers that memory has already learned.
func (c clarity) withoutLessons() clarity {
	c.Reused, c.Auto, c.Answers = "", false, slices.Clone(c.Answers)
	for i := range c.Answers {
		c.Answers[i].Own = false
	}
	return c
}

// reshownPlan returns the plan of a repeated task as it is shown: calls are shown with their tools as they are now.
func reshownPlan(x *workflow.Exec, p plan) plan {
	p.Redo, p.Steps = false, slices.Clone(p.Steps)
	for i := range p.Steps {
		p.Steps[i].Shown = ""
	}
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

// repeats reports whether a step would repeat an effect beyond reading that an earlier
// run may have had.
func repeats(p plan, st step, e agent.Effect) bool {
	return slices.Contains(p.Ran, st.ID) && rank(e) > rank(agent.EffectReads)
}
