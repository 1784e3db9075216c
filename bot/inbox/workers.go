package inbox

import (
	"context"
	"errors"
	"sync"
	"time"

	"maru/bot"
	"maru/bot/chore"
)

// dispatch hands queued threads to at most Config.Workers goroutines. It returns
// when ctx has ended and all goroutines are done.
func (w *Workers) dispatch(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	poll := time.NewTimer(0) // at once: a previous process may have left items behind
	defer poll.Stop()
	forgotten := false // the last poll ran out of workers
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.queue.signal:
			w.burst.awaitEnd(ctx, w.queue.atWork()) // threads stay queued meanwhile: see reserve
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

// claimForgotten claims threads that have items and no lease, as left by a crash or a lost wake-up, while
// workers are free. It reports whether there may be more of them.
func (w *Workers) claimForgotten(ctx context.Context, workers *sync.WaitGroup) bool {
	for {
		w.burst.awaitEnd(ctx, w.queue.atWork())
		full, ok := w.queue.room()
		if !ok {
			return true
		}
		l, ok, err := w.record.Claim(ctx, "", w.owner, w.leaseTTL, full...)
		if err != nil || !ok {
			if err != nil && ctx.Err() == nil {
				w.log.WarnContext(ctx, "claim any thread", "err", err)
			}
			return err == nil && len(full) > 0
		}
		if !w.queue.begin(l.Thread) { // queued meanwhile: that worker will claim it
			w.releaseLease(ctx, l)
			w.queue.add(l.Thread)
			return false
		}
		workers.Go(func() { w.runLeased(ctx, l, bot.Item{}) })
	}
}

// runLeased processes a thread that was leased without the queue.
func (w *Workers) runLeased(ctx context.Context, l bot.Lease, it bot.Item) {
	defer w.queue.done(l.Thread)
	w.runItems(ctx, l, it)
}

func (w *Workers) claimAndRun(ctx context.Context, key string) {
	defer w.queue.done(key)
	l, it, ok, err := w.record.Take(ctx, key, w.owner, w.leaseTTL)
	if err != nil {
		if ctx.Err() == nil {
			w.log.WarnContext(ctx, "claim thread", "err", err) // the poll retries
		}
		return
	}
	if ok {
		w.runItems(ctx, l, it)
	}
}

// runItems processes a leased thread's items until none is left, beginning with it unless it is zero.
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
				return // the record has released the lease with the last item
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
	// The poll claims the thread again, which spaces the attempts.
	if !w.releaseLease(ctx, l) {
		w.deaths.Survived()
	}
}

// logAbandoned logs why a thread is left with pending items. After a lost lease they belong to
// another replica, or were removed with the workspace.
func (w *Workers) logAbandoned(ctx context.Context, what string, err error, about ...any) {
	switch {
	case ctx.Err() != nil:
	case errors.Is(err, bot.ErrFenced), errors.Is(err, bot.ErrLost):
		w.log.InfoContext(ctx, "thread abandoned: its lease was taken over", about...)
	default:
		w.log.WarnContext(ctx, what, append(about, "err", err)...)
	}
}

// releaseLease releases a lease, also during shutdown, and reports whether it succeeded. If
// not, the lease was lost or will expire.
func (w *Workers) releaseLease(ctx context.Context, l bot.Lease) bool {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer done()
	err := w.record.Release(ctx, l)
	if err != nil && !errors.Is(err, bot.ErrFenced) {
		w.log.WarnContext(ctx, "release thread", "err", err)
	}
	return err == nil
}

// heartbeat renews the lease, and cancels the processing once the lease is or may be lost:
// a worker without a lease must not write.
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

// Renew extends a lease, waiting at most a third of its duration.
func (w *Workers) Renew(ctx context.Context, l bot.Lease) error {
	ctx, done := context.WithTimeout(ctx, w.leaseTTL/3)
	defer done()
	_, err := w.record.Renew(ctx, l, w.leaseTTL)
	return err
}

// listen queues threads that got items from other replicas, or stop requests.
func (w *Workers) listen(ctx context.Context, from bot.Waker) {
	for ctx.Err() == nil {
		keys, err := from.Wake(ctx)
		if err != nil {
			w.log.WarnContext(ctx, "listen for wake-ups", "err", err)
		} else {
			for key := range keys {
				w.queue.add(key)
				select {
				case w.woken <- struct{}{}:
				default:
				}
			}
		}
		select { // connection lost: the poll covers the gap
		case <-ctx.Done():
		case <-time.After(w.poll):
		}
	}
}
