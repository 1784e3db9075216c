package place

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/chore"
	"maru/config"
	"maru/phrase"
	"maru/phrase/when"
)

// Today returns the current day of usage, in the program's time zone.
func (r *Rules) Today() string { return r.cfg.Now().In(r.cfg.Zone).Format(time.DateOnly) }

// Unit is the unit of a budget.
type Unit string

// The units of budgets.
const (
	Tokens Unit = "tokens"
	Money  Unit = "cost"
	Calls  Unit = "calls"
)

// Budget is a daily limit of a workspace, channel or person, or the limit of a run, with the amount spent.
type Budget struct {
	Limit float64 // 0 for no limit
	Spent float64
	Unit  Unit
	Of    string    // "place", "person" or "run"
	Until time.Time // end of the day, in the program's time zone; zero for a run's
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

// Refusal returns the error of an exhausted budget.
func (b Budget) Refusal(lang string) *bot.Error {
	most, again := b.amount(b.Limit, lang), when.Zoned(b.Until, lang, b.Until.Location())
	switch b.Of {
	case "person":
		return &bot.Error{Code: bot.CodeOverBudget, Say: phrase.Say(lang, "bot.budget.person_gone", most, again)}
	case "run":
		return &bot.Error{Code: bot.CodeSpent, Say: phrase.Say(lang, "bot.budget.run_gone", most, b.Key())}
	}
	return &bot.Error{Code: bot.CodeOverBudget, Say: phrase.Say(lang, "bot.budget.place_gone", again)}
}

// Note returns the remaining amount of a nearly used up budget, "" otherwise.
func (b Budget) Note(lang string) string {
	if !b.Short() {
		return ""
	}
	return phrase.Say(lang, "budget.low."+b.Of, int(min(100, b.Spent*100/b.Limit)), b.amount(b.Limit, lang), b.amount(max(0, b.Limit-b.Spent), lang))
}

// Key returns the setting of the limit.
func (b Budget) Key() string {
	if b.Of == "place" {
		return "daily_" + string(b.Unit)
	}
	return b.Of + "_" + string(b.Unit)
}

// Amounts formats the amount spent and the limit.
func (b Budget) Amounts(lang string) string {
	if b.Unit == Money { // of the operator's currency, which has no name here
		return money(b.Spent) + " / " + money(b.Limit)
	}
	return b.amount(b.Spent, lang) + " / " + b.amount(b.Limit, lang)
}

func money(n float64) string { return strconv.FormatFloat(math.Round(n*1e4)/1e4, 'f', -1, 64) }

func (b Budget) amount(n float64, lang string) string {
	if b.Unit == Money {
		return phrase.Say(lang, "budget.amount.cost", money(n))
	}
	return phrase.Say(lang, "budget.amount."+string(b.Unit), int(n))
}

// budgets combines limits with the amounts spent.
func budgets(l config.Limits, spent agent.Usage, of string) []Budget {
	return []Budget{
		{float64(l.Tokens), float64(spent.Input + spent.Output), Tokens, of, time.Time{}}, {l.Cost, spent.Cost, Money, of, time.Time{}}, {float64(l.Calls), float64(spent.Calls), Calls, of, time.Time{}},
	}
}

// tightest returns the budget with the largest share spent.
func tightest(list []Budget) (out Budget) {
	for _, b := range list {
		if b.Limit > 0 && b.nearer(out) {
			out = b
		}
	}
	return out
}

// Share returns the largest spent share of the limits, 0 without any.
func Share(l config.Limits, spent agent.Usage) float64 {
	if b := tightest(budgets(l, spent, "person")); b.Limit > 0 {
		return b.Spent / b.Limit
	}
	return 0
}

// RunBudget returns a run's use of the run limit.
func RunBudget(set config.Resolved, run agent.Usage) Budget {
	return tightest(budgets(set.PerRun, run, "run"))
}

// BudgetOf returns the daily budget with the largest spent share, among those of the workspace, the channel and
// the person, in tokens, money and calls. run is usage that the sums lack.
func (r *Rules) BudgetOf(ctx context.Context, t bot.Thread, u bot.User, set config.Resolved, run agent.Usage) (Budget, error) {
	var list []Budget
	day := r.Today()
	add := func(l config.Limits, q bot.UsageQuery, of string) error {
		if l == (config.Limits{}) {
			return nil
		}
		q.Team, q.From, q.To = t.TeamKey(), day, day
		rows, err := r.cfg.Record.Usage(ctx, q)
		if err != nil {
			return fmt.Errorf("read usage: %w", err)
		}
		total := Sum(rows)
		total.Usage.Add(run)
		list = append(list, budgets(l, total.Usage, of)...)
		return nil
	}
	for level := range set.Budgets {
		var q bot.UsageQuery
		if config.Level(level) == config.Channel {
			q.Channel = t.Channel
		}
		if err := add(config.Limits{Tokens: set.Budgets[level], Cost: set.Costs[level]}, q, "place"); err != nil {
			return Budget{}, err
		}
	}
	if err := add(set.PerPerson, bot.UsageQuery{User: u.ID}, "person"); err != nil {
		return Budget{}, err
	}
	out := tightest(list)
	now := r.cfg.Now().In(r.cfg.Zone)
	out.Until = time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, r.cfg.Zone)
	return out, nil
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

// Counted returns a context whose model calls are charged to a channel and a person, for calls outside of a run.
func (r *Rules) Counted(ctx context.Context, t bot.Thread, u bot.User, on bot.SpentOn) context.Context {
	if r.cfg.Listen == nil {
		return ctx
	}
	return r.cfg.Listen(ctx, func(spent agent.Usage) {
		if spent == (agent.Usage{}) {
			return
		}
		// Count the usage even if the caller has given up.
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
