// Package forecast estimates the usage of a plan's steps before it runs, from the usage per step of earlier
// approved plans of the same agent in the workspace. The plan's card shows it, and whether it would exceed a limit
// of the run or the day.
//
// It must not know agents, cards or prices: costs of calls are in the traces.
package forecast

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"slices"

	"maru/agent"
	"maru/bot"
	"maru/bot/overview"
	"maru/bot/place"
	"maru/config"
	"maru/phrase"
	"maru/phrase/fit"
)

// Record finds earlier runs.
type Record interface {
	ListRuns(ctx context.Context, q overview.RunQuery) ([]overview.Run, error)
	RunByID(ctx context.Context, id string) (bot.Run, error)
}

// Config holds the dependencies of [Forecasts].
type Config struct {
	Record Record
	Rules  *place.Rules
	Log    *slog.Logger
}

// Forecasts estimates plans. It is safe for concurrent use.
type Forecasts struct{ cfg Config }

// New returns forecasts from a record.
func New(c Config) *Forecasts { return &Forecasts{c} }

// Plan is the plan of a run that waits for approval.
type Plan struct {
	Run      string
	Thread   bot.Thread
	User     bot.User
	Agent    string
	Payload  json.RawMessage // agent.Ask
	Spent    agent.Usage     // by the run since it last waited
	Settings config.Resolved
	Language string
}

// Limits of the runs considered.
const (
	looked = 40 // runs, the newest
	enough = 3  // runs with plans, below which nothing is estimated
	nearBy = 1  // steps that a like plan has more or fewer
)

// Line formats the estimate for people, "" without a plan or without enough earlier ones. It never fails: the plan
// matters more.
func (f *Forecasts) Line(ctx context.Context, p Plan) string {
	var ask agent.Ask
	if json.Unmarshal(p.Payload, &ask) != nil || len(ask.Steps) == 0 {
		return ""
	}
	past, err := f.past(ctx, p)
	if err != nil {
		f.cfg.Log.WarnContext(ctx, "estimate plan", "run", p.Run, "err", err)
		return ""
	}
	if len(past) < enough {
		return ""
	}
	least, most, of := estimate(past, len(ask.Steps))
	line := phrase.Say(p.Language, "forecast.plan", span(least.Calls, most.Calls), span(tokens(least), tokens(most)))
	if most.Cost > 0 {
		line += phrase.Say(p.Language, "forecast.cost", prices(least.Cost, most.Cost))
	}
	return fit.Dots(line+phrase.Say(p.Language, "forecast.from", of), f.limit(ctx, p, least, most))
}

func tokens(u agent.Usage) int { return u.Input + u.Output }

// limit describes which limit the plan would or may exceed, "" for none.
func (f *Forecasts) limit(ctx context.Context, p Plan, least, most agent.Usage) string {
	spent := p.Spent
	if before, err := f.cfg.Record.RunByID(ctx, p.Run); err == nil {
		var u agent.Usage
		_ = json.Unmarshal(before.Usage, &u) // an unreadable cost counts as 0
		spent.Add(u)
	}
	for _, c := range []struct {
		more agent.Usage
		said string
	}{{least, "will_pass"}, {most, "may_pass"}} {
		whole := spent
		whole.Add(c.more)
		if b := place.RunBudget(p.Settings, whole); b.Gone() {
			return phrase.Say(p.Language, "forecast."+c.said+".run", b.Amounts(p.Language))
		}
		today := p.Spent // the sums of the day include the run's earlier usage
		today.Add(c.more)
		b, err := f.cfg.Rules.BudgetOf(ctx, p.Thread, p.User, p.Settings, today)
		if err != nil {
			f.cfg.Log.WarnContext(ctx, "read budget", "run", p.Run, "err", err)
			return ""
		}
		if b.Gone() {
			return phrase.Say(p.Language, "forecast."+c.said+".day", b.Amounts(p.Language))
		}
	}
	return ""
}

// sample is a run's usage after its plan was shown.
type sample struct {
	steps int
	used  agent.Usage
}

// past returns earlier runs with plans, the newest first.
func (f *Forecasts) past(ctx context.Context, p Plan) ([]sample, error) {
	team := p.Thread.TeamKey()
	runs, err := f.cfg.Record.ListRuns(ctx, overview.RunQuery{Agent: p.Agent, Status: bot.RunDone, Team: team, Own: team, Limit: looked})
	if err != nil {
		return nil, err
	}
	var out []sample
	for _, listed := range runs {
		r, err := f.cfg.Record.RunByID(ctx, listed.ID)
		if err != nil {
			continue // it was deleted meanwhile
		}
		if s, ok := sampleOf(r); ok {
			out = append(out, s)
		}
	}
	return out, nil
}

// sampleOf reads a run's trace; false if it had no plan, or no model that counts tokens.
func sampleOf(r bot.Run) (s sample, ok bool) {
	var events []agent.Event
	if json.Unmarshal(r.Trace, &events) != nil {
		return s, false
	}
	for _, e := range events {
		switch {
		case e.Kind == agent.EventPlan:
			var plan agent.Plan
			if json.Unmarshal(e.Data, &plan) == nil {
				s.steps = max(s.steps, len(plan.Steps))
			}
		case e.Kind == agent.EventModelCall && e.Usage != nil && s.steps > 0:
			s.used.Add(*e.Usage)
		}
	}
	return s, s.steps > 0 && tokens(s.used) > 0
}

// estimate returns the range of the steps' usage, without the tenth at either end: from runs with similar plans,
// or from all if those are too few. of is the number of runs.
func estimate(past []sample, steps int) (least, most agent.Usage, of int) {
	like := slices.DeleteFunc(slices.Clone(past), func(s sample) bool { return s.steps < steps-nearBy || s.steps > steps+nearBy })
	if len(like) < enough {
		like = past
	}
	each := func(of func(agent.Usage) float64) (low, high float64) {
		var list []float64
		for _, s := range like {
			list = append(list, of(s.used)*float64(steps)/float64(s.steps))
		}
		slices.Sort(list)
		cut := len(list) / 10
		return list[cut], list[len(list)-1-cut]
	}
	whole := func(n float64) int { return int(math.Ceil(n)) }
	low, high := each(func(u agent.Usage) float64 { return float64(u.Calls) })
	least.Calls, most.Calls = whole(low), whole(high)
	low, high = each(func(u agent.Usage) float64 { return float64(tokens(u)) })
	least.Input, most.Input = whole(low), whole(high)
	least.Cost, most.Cost = each(func(u agent.Usage) float64 { return u.Cost })
	return least, most, len(like)
}
