// Package privacy deletes stored data: of a person who asks to be forgotten, of a thread, of entries beyond their
// retention, and of a workspace that removed the bot.
//
// [Forgetter] deletes a person, single records of their memory, or a thread. [Keeper] deletes expired data in the
// background, shortens the logs of idle threads and prunes the audit log. [Tenants] records installations and
// removals, and cleans up after removals.
//
// Invariants:
//
//   - When a call returns, what it removes is gone from the record, from the agents' logs,
//     from the live state and from the caches; a failure leaves the rest for another call,
//     and every call may be repeated.
//   - Whoever works on a thread is stopped or fenced before its rows go, so that nothing
//     read before is written afterwards.
//   - Agents forget first: with the row gone nobody would find what they kept.
//   - Sums stay, without a name, and so does the audit log, which says that something was
//     forgotten and not what.
//
// It knows no card, no command and no question beyond its row; it asks the runs through
// [Runs].
package privacy

import (
	"context"
	"log/slog"
	"time"

	"maru/bot"
	"maru/bot/chore"
	"maru/bot/exchange"
	"maru/bot/place"
	"maru/memory/longterm"
)

// Record is the part of the record that data is deleted from.
type Record interface {
	PersonRecord
	AgedRecord
	TeamRecord
}

// Agents deletes from the logs that agents keep beside the record.
type Agents interface {
	Forget(ctx context.Context, log string) error
	Amend(ctx context.Context, log, message, text string, deleted bool) error
	Retain(ctx context.Context, thread string) error
}

// Runs controls the active runs of this process.
type Runs interface {
	Stop(ctx context.Context, thread string, before bot.Bound) (bool, error) // wherever it works
	StopHere(thread string)
	Fence(thread string) // cancels as if the lease had been taken over
	FenceTeam(team string)
	Await(ctx context.Context, thread string) error // until nothing works on the thread here
	Wake(thread string)                             // there is work
	GiveUp(ctx context.Context, row bot.Approval)   // ends a question without a decision
	LogsOf(ctx context.Context, thread string) ([]string, error)
}

// Config holds the dependencies of the parts. All fields are required unless they say what nil means.
type Config struct {
	Record    Record
	Agents    Agents
	Rules     *place.Rules
	Runs      Runs
	Chores    *chore.Chores
	Memory    *longterm.Memory                // nil: nothing is remembered of people
	Documents Purger                          // nil: no documents of workspaces
	Caches    func(ctx context.Context) error // clears caches that may contain people's words; nil: none
	Facts     func(platform string) bot.Facts
	Log       *slog.Logger
	Now       func() time.Time
	Sweep     time.Duration  // interval of searches for removed workspaces
	MemoryAge time.Duration  // retention of memories
	AuditAge  time.Duration  // retention of the audit log; 0 means forever
	Exchanges exchange.Store // prompts and replies of models; nil: not stored
	PromptAge time.Duration  // their retention
}

// Room holds the three parts of the package.
type Room struct {
	Forgetter *Forgetter
	Keeper    *Keeper
	Tenants   *Tenants
}

// New returns the parts.
func New(c Config) Room {
	fg := &Forgetter{
		record: c.Record, agents: c.Agents, rules: c.Rules, runs: c.Runs, memory: c.Memory, documents: c.Documents, caches: c.Caches, facts: c.Facts, now: c.Now,
		exchanges: c.Exchanges,
	}
	tn := &Tenants{
		record: c.Record, agents: c.Agents, rules: c.Rules, runs: c.Runs, documents: c.Documents, chores: c.Chores, log: c.Log, now: c.Now,
	}
	kp := &Keeper{
		record: c.Record, agents: c.Agents, rules: c.Rules, runs: c.Runs, forgetter: fg, tenants: tn, memory: c.Memory,
		log: c.Log, now: c.Now, sweep: c.Sweep, memoryAge: c.MemoryAge, auditAge: c.AuditAge, exchanges: c.Exchanges, promptAge: c.PromptAge,
	}
	return Room{Forgetter: fg, Keeper: kp, Tenants: tn}
}
