package inbox

import (
	"context"
	"errors"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/chore"
)

// dispatch hands threads with work to at most Workers goroutines, and returns
// when ctx has ended and all of them have.
func (w *Workers) dispatch(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	poll := time.NewTimer(0) // at once: what the last process left behind
	defer poll.Stop()
	forgotten := false // there may be more forgotten work than there were workers for
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.queue.signal:
			w.burst.giveWay(ctx, w.queue.atWork()) // what waits stays in the queue meanwhile: see reserve
			if key, ok := w.queue.take(); ok {
				workers.Go(func() { w.claimAndRun(ctx, key) })
			} else if forgotten {
				forgotten = w.claimForgotten(ctx, &workers)
			}
		case <-poll.C:
			w.deaths.Look(ctx)
			forgotten = w.claimForgotten(ctx, &workers)
			poll.Reset(w.poll)
		}
	}
}

// claimForgotten takes threads that have work and no worker, as many as there are workers
// for: after a crash here or elsewhere, or when a wake-up was lost. It reports whether there
// may be more of them.
func (w *Workers) claimForgotten(ctx context.Context, workers *sync.WaitGroup) bool {
	for {
		w.burst.giveWay(ctx, w.queue.atWork())
		full, ok := w.queue.room()
		if !ok {
			return true
		}
		l, ok, err := w.record.Claim(ctx, "", w.owner, w.leaseTTL, full...)
		if err != nil || !ok {
			if err != nil && ctx.Err() == nil {
				w.log.WarnContext(ctx, "look for work", "err", err)
			}
			return err == nil && len(full) > 0
		}
		if !w.queue.begin(l.Thread) { // the queue's worker is about to claim it
			w.releaseLease(ctx, l)
			w.queue.add(l.Thread)
			return false
		}
		workers.Go(func() { w.runLeased(ctx, l, bot.Item{}) })
	}
}

// runLeased works on a thread that was leased without the queue.
func (w *Workers) runLeased(ctx context.Context, l bot.Lease, it bot.Item) {
	defer w.queue.done(l.Thread)
	w.runItems(ctx, l, it)
}

func (w *Workers) claimAndRun(ctx context.Context, key string) {
	defer w.queue.done(key)
	l, it, ok, err := w.record.Take(ctx, key, w.owner, w.leaseTTL)
	if err != nil {
		if ctx.Err() == nil {
			w.log.WarnContext(ctx, "claim thread", "err", err) // the poll comes back to it
		}
		return
	}
	if ok {
		w.runItems(ctx, l, it)
	}
}

// runItems handles a leased thread's items, the given one first, until none is left.
func (w *Workers) runItems(ctx context.Context, l bot.Lease, it bot.Item) {
	makeRoom(0)
	ctx, cancel := context.WithCancelCause(ctx)
	var beat sync.WaitGroup
	beat.Go(func() { w.heartbeat(ctx, l, cancel) })
	defer beat.Wait()
	defer cancel(nil)
	for ctx.Err() == nil {
		if it.ID == "" {
			next, ok, err := w.record.Next(ctx, l)
			if err != nil {
				w.logAbandoned(ctx, "next item", err)
			}
			if err == nil && !ok {
				return // nothing is left, and the lease has ended with it
			}
			if err != nil {
				break
			}
			it = next
		}
		if err := chore.Survive(ctx, w.log, "item", func() error { return w.turns.Handle(ctx, l, it) }); err != nil {
			w.logAbandoned(ctx, "item stays in the inbox", err, "item_kind", it.Kind, "tries", it.Attempts+1)
			break
		}
		it = bot.Item{}
	}
	// A thread left early is claimed again by the poll; a short pause between
	// attempts is what that gives.
	if !w.releaseLease(ctx, l) {
		w.deaths.Survived()
	}
}

// logAbandoned says why a thread is left with work to do. Whose lease was taken knows
// nothing of its items any more: another replica has them, or they ended with the
// workspace.
func (w *Workers) logAbandoned(ctx context.Context, what string, err error, about ...any) {
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, bot.ErrFenced), errors.Is(err, bot.ErrLost):
		w.log.InfoContext(ctx, "thread is worked on no more here: its lease was taken", about...)
	default:
		w.log.WarnContext(ctx, what, append(about, "err", err)...)
	}
}

// releaseLease gives a lease back, also when the program stops, and reports whether it did. If
// not, the lease was lost or ends by itself.
func (w *Workers) releaseLease(ctx context.Context, l bot.Lease) bool {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer done()
	err := w.record.Release(ctx, l)
	if err != nil && !errors.Is(err, bot.ErrFenced) {
		w.log.WarnContext(ctx, "release thread", "err", err)
	}
	return err == nil
}

// heartbeat keeps the lease alive, and stops the work when it is lost or may
// have been: a worker that cannot renew must not write.
func (w *Workers) heartbeat(ctx context.Context, l bot.Lease, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(w.leaseTTL / 3)
	defer tick.Stop()
	last := w.now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		err := w.Renew(ctx, l)
		switch {
		case err == nil:
			last = w.now()
		case errors.Is(err, bot.ErrFenced), w.now().Sub(last) > w.leaseTTL*2/3:
			cancel(bot.ErrLost)
			return
		}
	}
}

// Renew prolongs a lease, without waiting longer than the lease allows.
func (w *Workers) Renew(ctx context.Context, l bot.Lease) error {
	ctx, done := context.WithTimeout(ctx, w.leaseTTL/3)
	defer done()
	_, err := w.record.Renew(ctx, l, w.leaseTTL)
	return err
}

// listen queues threads that other replicas put work into.
func (w *Workers) listen(ctx context.Context, from bot.Waker) {
	for ctx.Err() == nil {
		keys, err := from.Wake(ctx)
		if err != nil {
			w.log.WarnContext(ctx, "listen for work", "err", err)
		} else {
			for key := range keys {
				w.queue.add(key)
				select {
				case w.woken <- struct{}{}:
				default:
				}
			}
		}
		select { // lost connection: the poll covers the meantime
		case <-ctx.Done():
		case <-time.After(w.poll):
		}
	}
}
