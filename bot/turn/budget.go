package turn

import (
	"context"
	"encoding/json"

	"maru/agent"
	"maru/bot/place"
	"maru/config"
	"maru/phrase/fit"
)

// runsLow returns the line that warns of a nearly used up budget of the day or of the run, "" otherwise. It adds the run's
// own usage, which is not saved yet.
func (ts *Turns) runsLow(ctx context.Context, c conclusion) string {
	left, err := ts.cfg.Rules.BudgetOf(ctx, c.m.Thread, c.m.User, c.set, c.trace.Usage)
	if err != nil { // answer without the warning
		ts.cfg.Log.WarnContext(ctx, "read budget", "run", c.p.Run, "err", err)
	}
	return fit.Dots(left.Note(c.lang), runBudget(ctx, ts.cfg.Record, c).Note(c.lang))
}

// runBudget returns the run's use of its limit, over all waits; its limit is 0 where there is none.
func runBudget(ctx context.Context, record Record, c conclusion) place.Budget {
	whole := c.trace.Usage
	if c.set.PerRun != (config.Limits{}) {
		whole.Add(spentBefore(ctx, record, c.p.Run))
	}
	return place.RunBudget(c.set, whole)
}

// limits returns the remaining budgets for a run. Agents count calls and tokens across waits themselves.
func limits(ctx context.Context, record Record, run string, set config.Resolved) agent.Limits {
	l := agent.Limits(set.PerRun)
	if l.Cost > 0 {
		l.Cost = max(l.Cost-spentBefore(ctx, record, run).Cost, least)
	}
	return l
}

// least is an amount below the cost of any call.
const least = 1e-9

// spentBefore returns a run's usage before its last wait or interruption.
func spentBefore(ctx context.Context, record Record, run string) (u agent.Usage) {
	if r, err := record.RunByID(ctx, run); err != nil || json.Unmarshal(r.Usage, &u) != nil {
		return agent.Usage{}
	}
	return u
}
