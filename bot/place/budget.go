package place

import (
	"context"
	"fmt"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/chore"
	"maru/config"
)

// Today is the current day of usage, in the program's time zone.
func (r *Rules) Today() string { return r.cfg.Now().In(r.cfg.Zone).Format(time.DateOnly) }

// Budget is a daily limit of a place and what is spent of it, in tokens or in money.
type Budget struct {
	Limit float64 // a day, 0 for no limit
	Spent float64
	Money bool // Limit and Spent are money, not tokens
}

// warnAt is the share of a budget from which answers show a warning.
const warnAt = 0.8

// Gone reports whether the budget is used up.
func (b Budget) Gone() bool { return b.Limit > 0 && b.Spent >= b.Limit }

// Short reports whether the budget is nearly used up.
func (b Budget) Short() bool { return b.Limit > 0 && b.Spent >= b.Limit*warnAt }

// nearer reports whether a larger share of b is spent than of another budget.
func (b Budget) nearer(other Budget) bool {
	return other.Limit == 0 || b.Spent*other.Limit > other.Spent*b.Limit
}

// BudgetOf returns the daily budget with the largest share spent, among those of the
// workspace and the channel, in tokens and in money. run is usage that is in no sum yet.
func (r *Rules) BudgetOf(ctx context.Context, t bot.Thread, set config.Resolved, run agent.Usage) (Budget, error) {
	var tightest Budget
	for level := range set.Budgets {
		limits := []Budget{{Limit: float64(set.Budgets[level])}, {Limit: set.Costs[level], Money: true}}
		if limits[0].Limit <= 0 && limits[1].Limit <= 0 {
			continue
		}
		day := r.Today()
		q := bot.UsageQuery{Team: t.TeamKey(), From: day, To: day}
		if config.Level(level) == config.Channel {
			q.Channel = t.Channel
		}
		rows, err := r.cfg.Record.Usage(ctx, q)
		if err != nil {
			return Budget{}, fmt.Errorf("read usage: %w", err)
		}
		total := Sum(rows)
		total.Usage.Add(run)
		limits[0].Spent, limits[1].Spent = float64(total.Input+total.Output), total.Cost
		for _, this := range limits {
			if this.Limit > 0 && this.nearer(tightest) {
				tightest = this
			}
		}
	}
	return tightest, nil
}

// Sum adds rows up.
func Sum(rows []bot.Used) bot.Used {
	var out bot.Used
	for _, r := range rows {
		out.Runs += r.Runs
		out.Failed += r.Failed
		out.Took += r.Took
		out.Up += r.Up
		out.Down += r.Down
		out.Usage.Add(agent.Usage{Calls: r.Calls, Input: r.Input, Output: r.Output, Cached: r.Cached, Cost: r.Cost})
	}
	return out
}

// Counted returns a context whose model calls are charged to a place and a person, for
// calls outside of a run.
func (r *Rules) Counted(ctx context.Context, t bot.Thread, u bot.User, on bot.SpentOn) context.Context {
	if r.cfg.Listen == nil {
		return ctx
	}
	return r.cfg.Listen(ctx, func(spent agent.Usage) {
		if spent == (agent.Usage{}) {
			return
		}
		// Paid is paid, whoever does not wait for the answer.
		ctx, cancel := chore.AtTheEnd(ctx)
		defer cancel()
		err := r.cfg.Record.Spend(ctx, bot.Used{
			Day: r.Today(), Team: t.TeamKey(), Channel: t.Channel, User: u.ID, Kind: on, Usage: spent,
		})
		if err != nil {
			r.cfg.Log.ErrorContext(ctx, "usage lost", "kind", on, "team", t.TeamKey(), "err", err)
		}
	})
}
