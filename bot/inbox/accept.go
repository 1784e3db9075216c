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

// IntakeRecord is the part of the record that the intake reads and writes.
type IntakeRecord interface {
	bot.Notes
	Put(ctx context.Context, it bot.Item) (bool, error)
	Known(ctx context.Context, thread string) (bool, error)
	Entry(ctx context.Context, thread, id string) (bot.Entry, error)
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
	Amend(ctx context.Context, thread, id string, c bot.Change, with *bot.Item) (bool, error)
}

// Runs gives access to active runs, which a message may stop or restart.
type Runs interface {
	// Has reports whether a run is active in this process, and Busy whether a thread has an active run here.
	Has(run string) bool
	Busy(thread string) bool
	// StopSaidBy stops the runs of earlier questions when a message says stop, and reports whether
	// there were any. After an error some may go on.
	StopSaidBy(ctx context.Context, m bot.Message) (bool, error)
	// EndAllBut ends the runs of a message's thread except its own.
	EndAllBut(ctx context.Context, m bot.Message, why bot.StopReason)
	// Answered returns the items of a thread whose answers are being delivered: no stop concerns them.
	Answered(thread string) []string
	EndRun(ctx context.Context, thread, run string, why bot.StopReason)
	// Reword restarts the run of an edited message if the channel's settings ask for it.
	Reword(ctx context.Context, c bot.Change)
	// RedoesOwn reports whether a message asks to redo its author's own last task.
	RedoesOwn(ctx context.Context, m bot.Message) (bool, error)
}

// Questions gives access to pending approvals and clarifications.
type Questions interface {
	WaitsFor(ctx context.Context, m bot.Message) (bool, error)
	WithdrawRun(ctx context.Context, thread, run string)
}

// Replies shows a "queued" note for a message.
type Replies interface {
	ShowQueued(ctx context.Context, m bot.Message)
}

// IntakeConfig holds the dependencies of an Intake. All fields but Covers are required.
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
	// Covers reports whether documents in the scopes that carry all of the tags clearly answer a question. With nil, the
	// bot never joins a conversation uninvited.
	Covers Covers
}

// Covers is the type of IntakeConfig.Covers. It runs before the platform's acknowledgement, so it must be fast and make
// no model call.
type Covers = func(ctx context.Context, question string, scopes, tags []string) (bool, error)

// Intake decides which messages are for the bot and commits them, as well as later edits and
// deletions. It is safe for concurrent use.
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

// settings returns the settings that apply to a message. Facts about the channel that are not cached yet are fetched in
// the background.
func (in *Intake) settings(ctx context.Context, m bot.Message) (config.Resolved, error) {
	return in.rules.SettingsSoon(ctx, m, func(look func(context.Context)) { in.chores.Start(ctx, look) })
}
