package turn

import (
	"context"

	"maru/agent"
	"maru/bot"
	"maru/bot/approval"
	"maru/bot/place"
)

// RedosRecord is the part of the record that Redos needs.
type RedosRecord interface {
	RunsOf(ctx context.Context, thread string, limit int) ([]bot.Run, error)
	Threads(ctx context.Context, platform, team, channel string, limit int) ([]bot.ThreadInfo, error)
	PendingApprovals(ctx context.Context, thread string, limit int) ([]bot.Approval, error)
}

// RedosConfig holds the dependencies of Redos. All fields are required.
type RedosConfig struct {
	Record    RedosRecord
	Runner    *agent.Runner
	Rules     *place.Rules
	Questions *approval.Questions
	Runs      *Runs
	Accept    func(ctx context.Context, m bot.Message) error // accepts a message as if it came from the platform
}

// Redos redoes earlier tasks from a step. It is safe for
// concurrent use.
type Redos struct {
	record    RedosRecord
	runner    *agent.Runner
	rules     *place.Rules
	questions *approval.Questions
	runs      *Runs
	accept    func(ctx context.Context, m bot.Message) error
}

// NewRedos returns Redos.
func NewRedos(c RedosConfig) *Redos {
	return &Redos{record: c.Record, runner: c.Runner, rules: c.Rules, questions: c.Questions, runs: c.Runs, accept: c.Accept}
}
