package inbox

import (
	"context"
	"log/slog"
	"time"

	"maru/bot"
	"maru/bot/chore"
	"maru/bot/place"
	"maru/config"
)

// IntakeRecord is the part of the record that the intake reads, and writes what it
// accepts to.
type IntakeRecord interface {
	bot.Notes
	Put(ctx context.Context, it bot.Item) (bool, error)
	Known(ctx context.Context, thread string) (bool, error)
	Entry(ctx context.Context, thread, id string) (bot.Entry, error)
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
	Amend(ctx context.Context, thread, id, text string, deleted bool) error
}

// Runs are those at work, which a message may end or begin again.
type Runs interface {
	// Has reports whether a run is at work in this process, and Busy whether any is in a thread.
	Has(run string) bool
	Busy(thread string) bool
	// StopSaidBy ends what was asked before a message that says stop, and reports whether
	// there was anything.
	StopSaidBy(ctx context.Context, m bot.Message) bool
	EndAllBut(ctx context.Context, thread, run string, why bot.StopReason)
	EndRun(ctx context.Context, thread, run string, why bot.StopReason)
	// Reword begins the run again whose message was edited, where the place wants that.
	Reword(ctx context.Context, c bot.Change)
	// RedoesOwn reports whether a message asks for its author's own last task once more.
	RedoesOwn(ctx context.Context, m bot.Message) (bool, error)
}

// Questions are those that wait for people.
type Questions interface {
	WaitsFor(ctx context.Context, m bot.Message) (bool, error)
	WithdrawRun(ctx context.Context, thread, run string)
}

// Replies shows that a message waits for its turn.
type Replies interface {
	ShowQueued(ctx context.Context, m bot.Message)
}

// IntakeConfig is what an Intake is made of. All of it is needed.
type IntakeConfig struct {
	Record    IntakeRecord
	Rules     *place.Rules
	Runs      Runs
	Questions Questions
	Workers   *Workers
	Replies   Replies
	Chores    *chore.Chores
	Adapters  bot.Platforms
	Observe   bot.Observer
	Log       *slog.Logger
	Now       func() time.Time
	// Covers reports whether the documents of scopes, with all of the tags, clearly answer a question; nil: it is never known.
	Covers Covers
}

// Covers is the type of IntakeConfig.Covers. It must be quick and make no model call: the platform waits for it.
type Covers = func(ctx context.Context, question string, scopes, tags []string) (bool, error)

// Intake decides which messages are for the bot and commits them with what changes
// them later. It is safe for concurrent use.
type Intake struct {
	record    IntakeRecord
	rules     *place.Rules
	runs      Runs
	questions Questions
	workers   *Workers
	replies   Replies
	chores    *chore.Chores
	adapters  bot.Platforms
	observe   bot.Observer
	log       *slog.Logger
	now       func() time.Time
	covers    Covers
}

// NewIntake returns an Intake.
func NewIntake(c IntakeConfig) *Intake {
	return &Intake{
		record: c.Record, rules: c.Rules, runs: c.Runs, questions: c.Questions, workers: c.Workers, replies: c.Replies, chores: c.Chores,
		adapters: c.Adapters, observe: c.Observe, log: c.Log, now: c.Now, covers: c.Covers,
	}
}

// settings are those of a message's place; what is not known of it yet is looked up in
// the background.
func (in *Intake) settings(ctx context.Context, m bot.Message) (config.Resolved, error) {
	return in.rules.SettingsSoon(ctx, m, func(look func(context.Context)) { in.chores.Start(ctx, look) })
}
