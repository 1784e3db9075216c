// Package metering accounts for model calls outside of runs and charges channels for their share: embeddings of
// documents, memories and tools, and evaluations. A run's cost is in its trace. The package must not know platforms,
// stores or model catalogues.
package metering

import (
	"context"
	"log/slog"
	"time"

	"maru/agent"
	"maru/agent/llm"
	"maru/bot"
)

// Sums stores usage by day and channel; [bot.Record] is one.
type Sums interface {
	Spend(ctx context.Context, u bot.Used) error
}

// Config holds the dependencies of a [Meter].
type Config struct {
	Sums  Sums                      // nil: nothing is added up
	Price func(agent.Usage) float64 // of a call, by its model and tokens
	Now   func() time.Time
	Zone  *time.Location // of days in the sums
	Log   *slog.Logger

	// Observe hears of every call. It may be nil and returns at once.
	Observe func(purpose string, u agent.Usage, took time.Duration, failed string)
}

// Meter counts model calls outside of runs. It is safe for concurrent use.
type Meter struct{ cfg Config }

// New returns a meter.
func New(c Config) *Meter { return &Meter{c} }

// Listen returns a context whose model calls are reported to heard, with their cost. It is for calls outside of runs.
func (m *Meter) Listen(ctx context.Context, heard func(agent.Usage)) context.Context {
	return llm.Listen(ctx, func(c llm.Call) {
		if c.Cached {
			return // nothing was spent
		}
		u := agent.Usage{Model: c.Model, Host: c.Endpoint, Calls: 1, Input: c.Usage.Input, Output: c.Usage.Output, Cached: c.Usage.Cached}
		u.Cost = m.cfg.Price(u)
		if m.cfg.Observe != nil {
			m.cfg.Observe(string(c.Purpose), u, c.Took, string(llm.ClassOf(c.Err)))
		}
		heard(u)
	})
}

// Evaluation returns a context whose model calls are charged to evaluations.
func (m *Meter) Evaluation(ctx context.Context) context.Context {
	return m.Listen(ctx, func(u agent.Usage) { m.spend(ctx, bot.SpentEvaluation, u, program()) })
}

// EvaluationRun charges the model calls of a run that answers an evaluation's
// question.
func (m *Meter) EvaluationRun(ctx context.Context, e agent.Event) {
	if e.Kind != agent.EventModelCall || e.Usage == nil || e.Usage.Calls == 0 {
		return
	}
	u := *e.Usage
	u.Cost = m.cfg.Price(u)
	m.spend(ctx, bot.SpentEvaluation, u, program())
}

// spendTimeout bounds one write to the sums, which outlives the caller's context:
// the call is paid for.
const spendTimeout = 5 * time.Second

// spend charges each channel for its share of used. The shares add up to the
// whole and the call is counted once.
func (m *Meter) spend(ctx context.Context, on bot.SpentOn, used agent.Usage, shares []share) {
	if m.cfg.Sums == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), spendTimeout)
	defer cancel()
	day := m.cfg.Now().In(m.cfg.Zone).Format(time.DateOnly)
	for i, part := range split(used, shares) {
		s := shares[i]
		if err := m.cfg.Sums.Spend(ctx, bot.Used{Day: day, Team: s.team, Channel: s.channel, Kind: on, Usage: part}); err != nil {
			m.cfg.Log.ErrorContext(ctx, "usage lost", "kind", on, "team", s.team, "err", err)
		}
	}
}
