// Package forecast estimates what the steps of a plan will use before it runs: from the usage of earlier runs of the same
// agent in the workspace after their plans were shown, a step. The card of a plan shows it, and whether a limit of the
// run or the day would be passed.
//
// It must not know agents, cards or prices: what a call cost is in the traces.
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

// Plan is a plan of a run that waits for its approval.
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

// Bounds of what is looked at.
const (
	looked = 40 // runs, the newest
	enough = 3  // runs with plans, below which nothing is estimated
	nearBy = 1  // steps that a like plan has more or fewer
)

// Line is the estimate for people, "" for what is no plan or without enough earlier ones. It never fails: the plan matters
// more.
func (f *Forecasts) Line(ctx context.Context, p Plan) string {
	var ask agent.Ask
	if json.Unmarshal(p.Payload, &ask) != nil || len(ask.Steps) == 0 {
		return ""
	}
	past, err := f.past(ctx, p)
	if err != nil {
		f.cfg.Log.WarnContext(ctx, "a plan was not estimated", "run", p.Run, "err", err)
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

// limit says which limit the plan would or may pass, "" for none.
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
		today := p.Spent // what the run used before is in the sums of the day
		today.Add(c.more)
		b, err := f.cfg.Rules.BudgetOf(ctx, p.Thread, p.User, p.Settings, today)
		if err != nil {
			f.cfg.Log.WarnContext(ctx, "budget was not looked at", "run", p.Run, "err", err)
			return ""
		}
		if b.Gone() {
			return phrase.Say(p.Language, "forecast."+c.said+".day", b.Amounts(p.Language))
		}
	}
	return ""
}

// sample is what a run used after its plan was shown.
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

// estimate is the range of what steps will use: of the runs with like plans, or of all where those are too few, without
// the tenth at either end. of is how many runs it is from.
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
