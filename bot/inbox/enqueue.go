package inbox

import (
	"context"
	"sync"

	"maru/bot"
)

// handedOut is a leased thread with its first item, for a worker reserved beforehand.
type handedOut struct {
	lease bot.Lease
	item  bot.Item
}

// Enqueue commits an item and schedules its thread; fresh is false if the item was there already. If a worker is free and
// the thread idle, the same commit leases the thread.
func (w *Workers) Enqueue(ctx context.Context, it bot.Item) (fresh bool, err error) {
	asker := ""
	if it.Entry != nil {
		asker = it.Entry.User
	}
	if !w.queue.reserve(it.Thread, asker) {
		fresh, err = w.record.Put(ctx, it)
		if fresh {
			w.queue.addOf(it.Thread, asker)
		}
		return fresh, err
	}
	fresh, l, first, err := w.record.Begin(ctx, it, w.owner, w.leaseTTL)
	if err != nil || l.Token == 0 {
		w.queue.done(it.Thread)
		if fresh && err == nil { // another replica holds the thread, or held it until just now
			w.queue.addOf(it.Thread, asker)
		}
		return fresh, err
	}
	first.Begun = first.ID == it.ID && first.Attempts == 0
	w.leased <- handedOut{lease: l, item: first} // never blocks: each sender has reserved a worker
	return true, nil
}

// startLeased processes the threads leased by Enqueue, each in its own goroutine. It returns when ctx has ended and all
// goroutines are done.
func (w *Workers) startLeased(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	for {
		select {
		case <-ctx.Done():
			w.releaseUnstarted(ctx)
			return
		case h := <-w.leased:
			workers.Go(func() { w.runLeased(ctx, h.lease, h.item) })
		}
	}
}

// releaseUnstarted releases, at shutdown, the leases that no worker has picked up.
func (w *Workers) releaseUnstarted(ctx context.Context) {
	for {
		select {
		case h := <-w.leased:
			w.queue.done(h.lease.Thread)
			w.releaseLease(ctx, h.lease)
		default:
			return
		}
	}
}
