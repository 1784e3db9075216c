package turn

import (
	"context"

	"maru/phrase"
)

// runsLow is the line under an answer when a budget runs low with it, "" before.
func (ts *Turns) runsLow(ctx context.Context, c conclusion) string {
	left, err := ts.rules.BudgetOf(ctx, c.m.Thread, c.set, c.trace.Usage)
	if err != nil { // the answer is worth more than the line under it
		ts.log.WarnContext(ctx, "budget was not looked at", "run", c.p.Run, "err", err)
	}
	if !left.Short() {
		return ""
	}
	key := "bot.budget.tokens_low"
	if left.Money {
		key = "bot.budget.cost_low"
	}
	return phrase.Say(c.lang, key, int(min(100, left.Spent*100/left.Limit)))
}
