package inbox

import (
	"context"
	"sync"

	"maru/bot"
)

// handedOut is an item whose thread is leased for the worker that begins with it.
type handedOut struct {
	lease bot.Lease
	item  bot.Item
}

// Enqueue commits an item, false if it was put before, and sees to it that its
// thread is worked on. With a worker at hand and nothing at work in the thread that
// takes one commit, which leases the thread as well.
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
		if fresh && err == nil { // somebody else has the thread, or had until just now
			w.queue.addOf(it.Thread, asker)
		}
		return fresh, err
	}
	first.Begun = first.ID == it.ID && first.Attempts == 0
	w.leased <- handedOut{lease: l, item: first} // there is room: who sends has a worker
	return true, nil
}

// startLeased begins with what Enqueue has leased, each in a goroutine of its own,
// and returns when ctx has ended and all of them have.
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

// releaseUnstarted ends the leases that no worker has begun with when the program stops.
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
