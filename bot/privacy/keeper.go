package privacy

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/chore"
	"maru/bot/place"
	"maru/memory/longterm"
)

const sweptThreads = 50 // that one round looks after

// AgedRecord is what a [Keeper] needs of the record.
type AgedRecord interface {
	bot.Ages
	bot.Keeping
	Put(ctx context.Context, it bot.Item) (bool, error)
	Finish(ctx context.Context, l bot.Lease, id string, o bot.Outcome) error
	PendingApprovals(ctx context.Context, thread string, limit int) ([]bot.Approval, error)
	Note(ctx context.Context, key string) (string, error)
	SetNote(ctx context.Context, key, value string) error
	AuditTeams(ctx context.Context) ([]string, error)
	PruneAudit(ctx context.Context, team string, before time.Time) (bot.Pruned, error)
}

// Keeper removes what is older than it is to be kept.
type Keeper struct {
	record    AgedRecord
	agents    Agents
	rules     *place.Rules
	runs      Runs
	forgetter *Forgetter
	tenants   *Tenants
	memory    *longterm.Memory
	log       *slog.Logger
	now       func() time.Time

	sweep, memoryAge, auditAge time.Duration // as in [Config]
}

// rest is how long a thread must have been quiet before its logs are shortened,
// and how often such threads are looked for.
const rest = time.Hour

// Run looks until ctx ends for what is to go: workspaces that were left, what is older
// than its place keeps it, and what was learned too long ago.
func (kp *Keeper) Run(ctx context.Context) {
	var memory sync.WaitGroup
	defer memory.Wait()
	if kp.memory != nil {
		memory.Go(func() { kp.sweepMemory(ctx) })
	}
	var kept time.Time // when what is older was looked for
	chore.Every(ctx, kp.log, "clear", kp.sweep, func() { kept = kp.clear(ctx, kept) })
}

// clear is one round of what may take long: workspaces that were left, what is older than
// it is kept, and logs that can be shortened. It returns when what is older was looked for.
func (kp *Keeper) clear(ctx context.Context, kept time.Time) time.Time {
	if err := kp.tenants.EndDepartures(ctx); err != nil && ctx.Err() == nil {
		kp.log.WarnContext(ctx, "clean up after a workspace", "err", err)
	}
	if now := kp.now(); now.Sub(kept) >= rest {
		kept = now
		if err := kp.sweepAges(ctx); err != nil && ctx.Err() == nil {
			kp.log.WarnContext(ctx, "remove what is older than it is kept", "err", err)
		}
		if err := kp.sweepAudit(ctx); err != nil && ctx.Err() == nil {
			kp.log.WarnContext(ctx, "prune the audit log", "err", err)
		}
		kp.keep(ctx)
	}
	return kept
}

// keep shortens the logs of threads that rest.
func (kp *Keeper) keep(ctx context.Context) {
	threads, err := kp.record.Rested(ctx, kp.now().Add(-rest), sweptThreads)
	if err != nil {
		if ctx.Err() == nil {
			kp.log.WarnContext(ctx, "look for threads that rest", "err", err)
		}
		return
	}
	for _, thread := range threads {
		if err := kp.agents.Retain(ctx, thread); err != nil {
			if ctx.Err() != nil {
				return
			}
			kp.log.WarnContext(ctx, "shorten the logs of a thread", "err", err) // others must have their turn
		}
		if err := kp.record.Kept(ctx, thread); err != nil && ctx.Err() == nil {
			kp.log.WarnContext(ctx, "note that a thread was kept", "err", err)
		}
	}
}

const (
	sweepEvery = time.Hour
	sweepBatch = 500
)

// sweepMemory removes what was learned too long ago, now and every hour until ctx
// ends.
func (kp *Keeper) sweepMemory(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		err := chore.Survive(ctx, kp.log, "sweep of memory", func() error {
			return kp.sweepMemoryOf(ctx, longterm.Part{}, kp.now().Add(-kp.memoryAge))
		})
		if err != nil && ctx.Err() == nil {
			kp.log.WarnContext(ctx, "sweep of memory failed", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweepMemoryOf removes what was learned before a time, a few records at a time.
func (kp *Keeper) sweepMemoryOf(ctx context.Context, part longterm.Part, before time.Time) error {
	for {
		n, err := kp.memory.SweepPart(ctx, part, before, sweepBatch)
		if err != nil || n < sweepBatch {
			return err
		}
	}
}
