// Package reply shows a run on its platform as one growing message.
//
// A [Presenter] belongs to one run. It posts a placeholder if the run takes a while, edits it as
// the text grows, and delivers the final card. Programs and pages can follow a run ([Follows]),
// the answered message carries marks, and files made by the run are posted afterwards ([Parcels]).
//
// On platforms that do not notify of edits ([bot.Facts].SilentEdits), questions and the answer of
// a run that waited or took over a minute are messages of their own (move.go); the message left
// behind is closed.
//
// Invariants:
//
//   - The reply's row exists before the first post and stores the message's reference as
//     soon as the platform returns it: a crash at any point leads to one reply.
//   - Only the holder of the thread's lease posts or edits. After a pause that may have
//     outlived the lease, the record is asked first.
//   - A draft may be lost, the final card may not: delivery is retried until it succeeds,
//     the platform refuses for good, or the time limit ends.
//   - A delivery that waits for the platform lends its worker to other threads.
//
// The package must not know what a run does, who may decide its questions, or what happens to its
// item.
package reply

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"maru/bot"
)

// Record is the part of the record that Replies need.
type Record interface {
	Open(ctx context.Context, l bot.Lease, r bot.Reply) (stored bot.Reply, created bool, err error)
	SetRef(ctx context.Context, l bot.Lease, run string, ref bot.Ref) error
	Reply(ctx context.Context, run string) (bot.Reply, error)
	Renew(ctx context.Context, l bot.Lease, ttl time.Duration) (bot.Lease, error)
	EndJob(ctx context.Context, id string) error
	Artifacts(ctx context.Context, thread, run string) ([]bot.Artifact, error)
	KeepFiles(ctx context.Context, l bot.Lease, run string, from int, files []bot.Artifact) error
}

// Workers process threads. Lend frees a thread's worker until back is called; Busy reports whether a thread is
// queued or being processed here, Held whether any process works on it.
type Workers interface {
	Lend(thread string) (back func())
	Busy(thread string) bool
	Held(ctx context.Context, thread string) (bool, error)
}

// Chores runs background work that nobody waits for.
type Chores interface {
	Start(ctx context.Context, do func(context.Context))
}

// Observer counts deliveries.
type Observer interface {
	Delivered(platform, op, result string)
}

// Languages returns a person's language.
type Languages interface {
	Language(ctx context.Context, t bot.Thread, u bot.User, text string) string
}

// Config holds the dependencies of Replies, all required.
type Config struct {
	Record    Record
	Adapters  map[string]bot.Adapter // by platform
	Workers   Workers
	Chores    Chores
	Observe   Observer
	Languages Languages
	Log       *slog.Logger
	Now       func() time.Time

	LeaseTTL   time.Duration // of threads
	Patience   time.Duration // how long a final reply is tried to be delivered
	SignOfLife time.Duration // a reply that takes longer shows a placeholder
}

// Replies begins the replies of this process's runs. It is safe for concurrent use.
type Replies struct {
	record    Record
	adapters  map[string]bot.Adapter
	workers   Workers
	chores    Chores
	observe   Observer
	languages Languages
	log       *slog.Logger
	now       func() time.Time

	leaseTTL, patience, signOfLife time.Duration

	marked sync.Map // by run: a message that carries the mark of the queue, as marked; a channel for one that waits without, which ends the wait
}

// New returns Replies.
func New(c Config) *Replies {
	return &Replies{
		record: c.Record, adapters: c.Adapters, workers: c.Workers, chores: c.Chores, observe: c.Observe, languages: c.Languages, log: c.Log, now: c.Now,
		leaseTTL: c.LeaseTTL, patience: c.Patience, signOfLife: c.SignOfLife,
	}
}

// renew prolongs a lease, without waiting longer than the lease allows.
func (rs *Replies) renew(ctx context.Context, l bot.Lease) error {
	ctx, done := context.WithTimeout(ctx, rs.leaseTTL/3)
	defer done()
	_, err := rs.record.Renew(ctx, l, rs.leaseTTL)
	return err
}
