package guide

import (
	"context"
	"fmt"
	"slices"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/workflow"
)

// takeEdits applies decisions that edited the sub-tasks. The edited list replaces the planner's
// output, and the run continues from there. It returns the remaining decisions for the run.
//
// An edit withdraws its question, so an edit that was applied before a crash is recognised and
// skipped.
func (a *Agent) takeEdits(ctx context.Context, req agent.Request) ([]agent.Decision, error) {
	if len(req.Decisions) == 0 {
		return nil, nil
	}
	at, err := a.At(ctx, req)
	if err != nil {
		return nil, workflow.Failure(err)
	}
	head := at.Head
	before := a.st.tasks.Get(head.State)
	var left []agent.Decision
	for _, d := range req.Decisions {
		reply := replyOf(d.Value)
		tasks, changed := byHand(reply.Values[inputTasks], before)
		i := slices.IndexFunc(head.Interrupts, func(q graph.Interrupt) bool { return q.ID == d.Interrupt })
		switch {
		case reply.Action != agent.VerbEdit || reply.Values[inputTasks] == "":
			left = append(left, d)
		case i < 0 || head.Turn != req.Run:
			// Applied before, or of another turn.
		case !changed:
			left = append(left, d)
		default:
			answer := graph.Answer{ID: d.Interrupt, By: d.By, At: d.At, Value: d.Value}
			if err := workflow.CheckAnswer(head.Interrupts[i], answer); err != nil {
				return nil, &graph.AnswerError{ID: d.Interrupt, Err: err}
			}
			if err := a.edit(ctx, req, tasks, wordsOf(reply)); err != nil {
				return nil, err
			}
		}
	}
	return left, nil
}

// edit writes sub-tasks as the planner's output. A person who typed them has approved them.
func (a *Agent) edit(ctx context.Context, req agent.Request, tasks []SubTask, words string) error {
	writes := []graph.Write{a.st.tasks.Set(tasks), a.st.approved.Set(true)}
	if words != "" {
		writes = append(writes, a.st.feedback.Add(words))
	}
	if err := a.Edit(ctx, req, planningNode, writes...); err != nil {
		return fmt.Errorf("guide: edit sub-tasks: %w", err)
	}
	return nil
}
