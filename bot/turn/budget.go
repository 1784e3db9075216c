package turn

import (
	"context"
	"encoding/json"

	"maru/agent"
	"maru/bot/place"
	"maru/config"
	"maru/phrase/fit"
)

// runsLow is the line under an answer or a question when a budget of the day or of the run runs low with it, "" before. It is
// asked before the run is saved: its usage is in no sum yet.
func (ts *Turns) runsLow(ctx context.Context, c conclusion) string {
	left, err := ts.rules.BudgetOf(ctx, c.m.Thread, c.m.User, c.set, c.trace.Usage)
	if err != nil { // the answer is worth more than the line under it
		ts.log.WarnContext(ctx, "budget was not looked at", "run", c.p.Run, "err", err)
	}
	whole := c.trace.Usage
	if c.set.PerRun != (config.Limits{}) {
		whole.Add(spentBefore(ctx, ts.record, c.p.Run))
	}
	return fit.Dots(left.Note(c.lang), place.RunBudget(c.set, whole).Note(c.lang))
}

// limits are what is left for a run of what one may use. The agents count their calls and tokens over waits themselves.
func limits(ctx context.Context, record Record, run string, set config.Resolved) agent.Limits {
	l := agent.Limits(set.PerRun)
	if l.Cost > 0 {
		l.Cost = max(l.Cost-spentBefore(ctx, record, run).Cost, least)
	}
	return l
}

// least is a sum of money that every call exceeds.
const least = 1e-9

// spentBefore is what a run used before it waited or was broken off.
func spentBefore(ctx context.Context, record Record, run string) (u agent.Usage) {
	if r, err := record.RunByID(ctx, run); err != nil || json.Unmarshal(r.Usage, &u) != nil {
		return agent.Usage{}
	}
	return u
}
