package console

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"maru/agent"
	"maru/bot"
)

// redoRuns is how many runs of a conversation are looked through for its newest task.
const redoRuns = 20

// redoable lists the steps of a run's task, if words in its conversation on the console have that task done again: the
// newest one there, once it is over.
func (d *Desk) redoable(ctx context.Context, run bot.RunView) ([]string, error) {
	steps := stepsOf(run.Events)
	if len(steps) == 0 || run.Thread.TeamKey() != own || run.Status == bot.RunWaiting || run.Status == bot.RunBroken {
		return nil, nil
	}
	runs, err := d.cfg.Record.RunsOf(ctx, run.Thread.Key(), redoRuns)
	if err != nil {
		return nil, fmt.Errorf("read runs: %w", err)
	}
	for _, r := range runs {
		var events []agent.Event
		if json.Unmarshal(r.Trace, &events) == nil && len(stepsOf(events)) > 0 {
			if r.ID == run.ID {
				return steps, nil
			}
			break
		}
	}
	return nil, nil
}

// stepsOf returns the steps of the plan that a run had last.
func stepsOf(events []agent.Event) []string {
	for _, e := range slices.Backward(events) {
		var p agent.Plan
		if e.Kind == agent.EventPlan && json.Unmarshal(e.Data, &p) == nil && len(p.Steps) > 0 {
			out := make([]string, len(p.Steps))
			for i, s := range p.Steps {
				out[i] = s.Text
			}
			return out
		}
	}
	return nil
}
