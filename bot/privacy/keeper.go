package privacy

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/audit"
	"maru/bot/chore"
	"maru/bot/exchange"
	"maru/bot/place"
	"maru/memory/longterm"
)

// sweptThreads is how many idle threads one round handles.
const sweptThreads = 50

// AgedRecord is the part of the record that a [Keeper] needs.
type AgedRecord interface {
	bot.Ages
	Put(ctx context.Context, it bot.Item) (bool, error)
	Finish(ctx context.Context, l bot.Lease, id string, o bot.Outcome) error
	PendingApprovals(ctx context.Context, thread string, limit int) ([]bot.Approval, error)
	Note(ctx context.Context, key string) (string, error)
	SetNote(ctx context.Context, key, value string) error
	AuditTeams(ctx context.Context) ([]string, error)
	PruneAudit(ctx context.Context, team string, before time.Time) (audit.Pruned, error)
}

// Keeper applies retention in the background.
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

	exchanges exchange.Store // nil: there are none

	sweep, memoryAge, auditAge, promptAge time.Duration // as in [Config]
}

// idleAge is how long a thread must be idle before its logs are shortened, and the
// interval between two such sweeps.
const idleAge = time.Hour

// Run sweeps until ctx ends: workspaces that removed the bot, expired threads, audit
// entries and memory records.
func (kp *Keeper) Run(ctx context.Context) {
	var memory sync.WaitGroup
	defer memory.Wait()
	if kp.memory != nil {
		memory.Go(func() { kp.sweepMemory(ctx) })
	}
	var kept time.Time // last search for expired data
	chore.Every(ctx, kp.log, "clear", kp.sweep, func() { kept = kp.round(ctx, kept) })
}

// round finishes departures every time, and applies retention if the last time was idleAge
// ago. It returns when retention was last applied.
func (kp *Keeper) round(ctx context.Context, kept time.Time) time.Time {
	if err := kp.tenants.EndDepartures(ctx); err != nil && ctx.Err() == nil {
		kp.log.WarnContext(ctx, "clean up after a workspace", "err", err)
	}
	if now := kp.now(); now.Sub(kept) >= idleAge {
		kept = now
		if err := kp.sweepAges(ctx); err != nil && ctx.Err() == nil {
			kp.log.WarnContext(ctx, "expire old data", "err", err)
		}
		if err := kp.sweepAudit(ctx); err != nil && ctx.Err() == nil {
			kp.log.WarnContext(ctx, "prune the audit log", "err", err)
		}
		if err := kp.sweepExchanges(ctx); err != nil && ctx.Err() == nil {
			kp.log.WarnContext(ctx, "prune prompts and replies", "err", err)
		}
		kp.shortenLogs(ctx)
	}
	return kept
}

// shortenLogs compacts the agents' logs of idle threads.
func (kp *Keeper) shortenLogs(ctx context.Context) {
	threads, err := kp.record.Rested(ctx, kp.now().Add(-idleAge), sweptThreads)
	if err != nil {
		if ctx.Err() == nil {
			kp.log.WarnContext(ctx, "list idle threads", "err", err)
		}
		return
	}
	for _, thread := range threads {
		if err := kp.agents.Retain(ctx, thread); err != nil {
			if ctx.Err() != nil {
				return
			}
			kp.log.WarnContext(ctx, "shorten the logs of a thread", "err", err) // continue with the others
		}
		if err := kp.record.Kept(ctx, thread); err != nil && ctx.Err() == nil {
			kp.log.WarnContext(ctx, "record pruned thread", "err", err)
		}
	}
}

const (
	sweepEvery = time.Hour
	sweepBatch = 500
)

// sweepMemory deletes memory records older than memoryAge, now and every hour until ctx
// ends.
func (kp *Keeper) sweepMemory(ctx context.Context) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		err := chore.Survive(ctx, kp.log, "sweep of memory", func() error {
			return kp.sweepMemoryPart(ctx, longterm.Part{}, kp.now().Add(-kp.memoryAge))
		})
		if err != nil && ctx.Err() == nil {
			kp.log.WarnContext(ctx, "sweep memory", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// sweepMemoryPart deletes the records of a part of memory from before a time, in batches.
func (kp *Keeper) sweepMemoryPart(ctx context.Context, part longterm.Part, before time.Time) error {
	for {
		n, err := kp.memory.SweepPart(ctx, part, before, sweepBatch)
		if err != nil || n < sweepBatch {
			return err
		}
	}
}
