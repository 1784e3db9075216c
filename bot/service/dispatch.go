package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/chore"
)

// Causes with which a run's context is cancelled.
var (
	errShutdown  = errors.New("bot: the program is stopping")
	errLost      = errors.New("bot: the thread's lease was lost")
	errStop      = errors.New("bot: a person said stop")
	errWithdrawn = errors.New("bot: the message was deleted")
	errEdited    = errors.New("bot: the message was edited")

	errInterrupted = errors.New("bot: a newer message interrupted the run")
	errRolledBack  = errors.New("bot: a newer message takes the run's place")
)

// dispatch hands threads with work to at most Workers goroutines, and returns
// when ctx has ended and all of them have.
func (b *Bot) dispatch(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	poll := time.NewTimer(0) // at once: what the last process left behind
	defer poll.Stop()
	forgotten := false // there may be more forgotten work than there were workers for
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.queue.signal:
			b.intake.giveWay(ctx, b.queue.atWork()) // what waits stays in the queue meanwhile: see reserve
			if key, ok := b.queue.take(); ok {
				workers.Go(func() { b.workOn(ctx, key) })
			} else if forgotten {
				forgotten = b.claimForgotten(ctx, &workers)
			}
		case <-poll.C:
			forgotten = b.claimForgotten(ctx, &workers)
			poll.Reset(b.cfg.Poll)
		}
	}
}

// claimForgotten takes threads that have work and no worker, as many as there are workers
// for: after a crash here or elsewhere, or when a wake-up was lost. It reports whether there
// may be more of them.
func (b *Bot) claimForgotten(ctx context.Context, workers *sync.WaitGroup) bool {
	for {
		b.intake.giveWay(ctx, b.queue.atWork())
		full, ok := b.queue.room()
		if !ok {
			return true
		}
		l, ok, err := b.cfg.Record.Claim(ctx, "", b.cfg.Owner, b.cfg.LeaseTTL, full...)
		if err != nil || !ok {
			if err != nil && ctx.Err() == nil {
				b.log.WarnContext(ctx, "look for work", "err", err)
			}
			return err == nil && len(full) > 0
		}
		if !b.queue.begin(l.Thread) { // the queue's worker is about to claim it
			b.release(ctx, l)
			b.queue.add(l.Thread)
			return false
		}
		workers.Go(func() { b.workLeased(ctx, l, bot.Item{}) })
	}
}

// workLeased works on a thread that was leased without the queue.
func (b *Bot) workLeased(ctx context.Context, l bot.Lease, it bot.Item) {
	defer b.queue.done(l.Thread)
	b.work(ctx, l, it)
}

func (b *Bot) workOn(ctx context.Context, key string) {
	defer b.queue.done(key)
	l, it, ok, err := b.cfg.Record.Take(ctx, key, b.cfg.Owner, b.cfg.LeaseTTL)
	if err != nil {
		if ctx.Err() == nil {
			b.log.WarnContext(ctx, "claim thread", "err", err) // the poll comes back to it
		}
		return
	}
	if ok {
		b.work(ctx, l, it)
	}
}

// work handles a leased thread's items, the given one first, until none is left.
func (b *Bot) work(ctx context.Context, l bot.Lease, it bot.Item) {
	makeRoom(0)
	ctx, cancel := context.WithCancelCause(ctx)
	var beat sync.WaitGroup
	beat.Go(func() { b.heartbeat(ctx, l, cancel) })
	defer beat.Wait()
	defer cancel(nil)
	for ctx.Err() == nil {
		if it.ID == "" {
			next, ok, err := b.cfg.Record.Next(ctx, l)
			if err != nil {
				b.broke(ctx, "next item", err)
			}
			if err == nil && !ok {
				return // nothing is left, and the lease has ended with it
			}
			if err != nil {
				break
			}
			it = next
		}
		if err := chore.Survive(ctx, b.log, "item", func() error { return b.handle(ctx, l, it) }); err != nil {
			b.broke(ctx, "item stays in the inbox", err, "item_kind", it.Kind, "tries", it.Attempts+1)
			break
		}
		it = bot.Item{}
	}
	// A thread left early is claimed again by the poll; a short pause between
	// attempts is what that gives.
	b.release(ctx, l)
}

// broke says why a thread is left with work to do. Whose lease was taken knows
// nothing of its items any more: another replica has them, or they ended with the
// workspace.
func (b *Bot) broke(ctx context.Context, what string, err error, about ...any) {
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, bot.ErrFenced), errors.Is(err, errLost):
		b.log.InfoContext(ctx, "thread is worked on no more here: its lease was taken", about...)
	default:
		b.log.WarnContext(ctx, what, append(about, "err", err)...)
	}
}

// release gives a lease back, also when the program stops. If that fails, the lease
// ends by itself.
func (b *Bot) release(ctx context.Context, l bot.Lease) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer done()
	if err := b.cfg.Record.Release(ctx, l); err != nil && !errors.Is(err, bot.ErrFenced) {
		b.log.WarnContext(ctx, "release thread", "err", err)
	}
}

// heartbeat keeps the lease alive, and stops the work when it is lost or may
// have been: a worker that cannot renew must not write.
func (b *Bot) heartbeat(ctx context.Context, l bot.Lease, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(b.cfg.LeaseTTL / 3)
	defer tick.Stop()
	last := b.cfg.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := b.renew(ctx, l)
		switch {
		case err == nil:
			last = b.cfg.Now()
		case errors.Is(err, bot.ErrFenced), b.cfg.Now().Sub(last) > b.cfg.LeaseTTL*2/3:
			cancel(errLost)
			return
		}
	}
}

// renew prolongs a lease, without waiting longer than the lease allows.
func (b *Bot) renew(ctx context.Context, l bot.Lease) error {
	ctx, done := context.WithTimeout(ctx, b.cfg.LeaseTTL/3)
	defer done()
	_, err := b.cfg.Record.Renew(ctx, l, b.cfg.LeaseTTL)
	return err
}

// listen queues threads that other replicas put work into.
func (b *Bot) listen(ctx context.Context, w bot.Waker) {
	for ctx.Err() == nil {
		keys, err := w.Wake(ctx)
		if err != nil {
			b.log.WarnContext(ctx, "listen for work", "err", err)
		} else {
			for key := range keys {
				b.queue.add(key)
				select {
				case b.woken <- struct{}{}:
				default:
				}
			}
		}
		select { // lost connection: the poll covers the meantime
		case <-ctx.Done():
		case <-time.After(b.cfg.Poll):
		}
	}
}
