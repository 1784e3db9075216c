// Package approval asks people questions and handles their decisions. A question is data.
//
// A run that waits for people leaves interrupts. [Questions.Ask] stores a row for each, with a
// digest of exactly what is shown, the people who may decide and an expiry; [Card] renders them.
// Clicks ([Questions.Click]), replies in the thread ([Questions.Hear]), commands
// ([Questions.DecideByID]) and programs ([Questions.Rule]) all end in decide: it commits the
// decision together with an inbox item that resumes the run, and wakes the thread.
// [Questions.Sweep] handles due rows (a card that could not be posted, a reminder, an expiry).
//
// Invariants:
//
//   - Buttons carry the id of a row and a verb, and no authority: person, place, state
//     and digest are checked when the click arrives.
//   - The first valid decision wins by compare-and-set; decision and resume item are one
//     transaction.
//   - What was shown is what runs: a row whose payload does not match its digest is
//     refused.
//   - It fails closed: if a right cannot be checked, nothing is decided.
//
// The package must not know how a run resumes, how a reply is delivered, or which worker has a
// thread.
package approval

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"maru/agent"
	"maru/bot"
	"maru/bot/place"
)

// Record is the part of the record that stores questions and decisions.
type Record interface {
	bot.Approvals
	bot.Notes
	Reply(ctx context.Context, run string) (bot.Reply, error)
	Transcript(ctx context.Context, thread string, limit int) ([]bot.Entry, error)
	Put(ctx context.Context, it bot.Item) (bool, error)
}

// Threads are the threads processed here. Wake wakes one with new items; BusyBeside reports whether one has an
// active run other than the given one.
type Threads interface {
	Wake(thread string)
	BusyBeside(thread, run string) bool
}

// Replies closes a message with a question that the reply of a run has left, or that is a second copy. ref.Key is "" for a copy.
type Replies interface {
	CloseStray(ctx context.Context, run string, ref bot.Ref, decision []bot.Field, lang string)
}

// Config holds the dependencies of Questions. All but CheckAnswer are required.
type Config struct {
	Record   Record
	Rules    *place.Rules
	Threads  Threads
	Replies  Replies
	Adapters bot.Platforms
	Log      *slog.Logger
	Now      func() time.Time
	NewID    func() string
	// CheckAnswer checks a decision's value against its question's schema; a *bot.AnswerError names the invalid
	// field. nil checks nothing.
	CheckAnswer func(i agent.Interrupt, value json.RawMessage) error
	// HasAccount reports whether a person of a thread is signed in at a server; nil: nobody is.
	HasAccount func(ctx context.Context, t bot.Thread, user, server string) bool
}

// Questions asks people and handles their decisions. It is safe for concurrent use and stateless: any replica
// handles any decision.
type Questions struct {
	record      Record
	rules       *place.Rules
	threads     Threads
	replies     Replies
	adapters    bot.Platforms
	log         *slog.Logger
	now         func() time.Time
	newID       func() string
	checkAnswer func(i agent.Interrupt, value json.RawMessage) error
	hasAccount  func(ctx context.Context, t bot.Thread, user, server string) bool
}

// New returns Questions.
func New(c Config) *Questions {
	return &Questions{
		record: c.Record, rules: c.Rules, threads: c.Threads, replies: c.Replies, adapters: c.Adapters, log: c.Log, now: c.Now, newID: c.NewID, checkAnswer: c.CheckAnswer, hasAccount: c.HasAccount,
	}
}
