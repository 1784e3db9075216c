package service

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

// enqueue commits an item, false if it was put before, and sees to it that its
// thread is worked on. With a worker at hand and nothing at work in the thread that
// takes one commit, which leases the thread as well.
func (b *Bot) enqueue(ctx context.Context, it bot.Item) (fresh bool, err error) {
	asker := ""
	if it.Entry != nil {
		asker = it.Entry.User
	}
	if !b.queue.reserve(it.Thread, asker) {
		fresh, err = b.cfg.Record.Put(ctx, it)
		if fresh {
			b.queue.addOf(it.Thread, asker)
		}
		return fresh, err
	}
	fresh, l, first, err := b.cfg.Record.Begin(ctx, it, b.cfg.Owner, b.cfg.LeaseTTL)
	if err != nil || l.Token == 0 {
		b.queue.done(it.Thread)
		if fresh && err == nil { // somebody else has the thread, or had until just now
			b.queue.addOf(it.Thread, asker)
		}
		return fresh, err
	}
	first.Begun = first.ID == it.ID && first.Attempts == 0
	b.leased <- handedOut{lease: l, item: first} // there is room: who sends has a worker
	return true, nil
}

// workOnLeased begins with what enqueue has leased, each in a goroutine of its own,
// and returns when ctx has ended and all of them have.
func (b *Bot) workOnLeased(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	for {
		select {
		case <-ctx.Done():
			b.letGo(ctx)
			return
		case h := <-b.leased:
			workers.Go(func() { b.workLeased(ctx, h.lease, h.item) })
		}
	}
}

// letGo ends the leases that no worker has begun with when the program stops.
func (b *Bot) letGo(ctx context.Context) {
	for {
		select {
		case h := <-b.leased:
			b.queue.done(h.lease.Thread)
			b.release(ctx, h.lease)
		default:
			return
		}
	}
}
