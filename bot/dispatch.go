package bot

import (
	"context"
	"errors"
	"sync"
	"time"
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

// endPatience bounds what is still written when its context has ended.
const endPatience = 5 * time.Second

// atTheEnd is a context for what must be written although ctx may have ended: the
// program stops, or a person does not wait, and what took place is to be known.
func atTheEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), endPatience)
}

// Waker is implemented by records shared by several replicas: it tells which
// threads got work from elsewhere.
type Waker interface {
	// Wake returns a channel of thread keys that is closed when ctx ends. Keys
	// may be lost: the bot also polls.
	Wake(ctx context.Context) (<-chan string, error)
}

// queue holds the keys of threads that have work, each once, first in first
// out. An idle thread costs nothing.
type queue struct {
	mu      sync.Mutex
	keys    []string
	waiting map[string]bool // in keys
	working map[string]bool // a worker has it
	again   map[string]bool // more came while a worker had it
	signal  chan struct{}   // holds a token while keys is not empty
}

func newQueue() *queue {
	return &queue{
		waiting: map[string]bool{}, working: map[string]bool{}, again: map[string]bool{},
		signal: make(chan struct{}, 1),
	}
}

// add queues a thread; if it is being worked on, it comes back afterwards.
func (q *queue) add(key string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.working[key]:
		q.again[key] = true
	case !q.waiting[key]:
		q.waiting[key] = true
		q.keys = append(q.keys, key)
		q.ring()
	}
}

func (q *queue) ring() {
	select {
	case q.signal <- struct{}{}:
	default:
	}
}

// take returns the next thread, now being worked on.
func (q *queue) take() (string, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.keys) == 0 {
		return "", false
	}
	key := q.keys[0]
	q.keys = q.keys[1:]
	delete(q.waiting, key)
	q.working[key] = true
	if len(q.keys) > 0 {
		q.ring()
	}
	return key, true
}

// begin marks a thread that is claimed without the queue; false if a worker has it,
// or will have it next.
func (q *queue) begin(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.working[key] || q.waiting[key] {
		return false
	}
	q.working[key] = true
	return true
}

// empty reports whether no thread waits for a worker.
func (q *queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.keys) == 0
}

// busy reports whether a thread is being worked on here, or will be next.
func (q *queue) busy(key string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.working[key] || q.waiting[key]
}

func (q *queue) done(key string) {
	q.mu.Lock()
	again := q.again[key]
	delete(q.again, key)
	delete(q.working, key)
	q.mu.Unlock()
	if again {
		q.add(key)
	}
}

// dispatch hands threads with work to at most Workers goroutines, and returns
// when ctx has ended and all of them have.
func (b *Bot) dispatch(ctx context.Context) {
	var workers sync.WaitGroup
	defer workers.Wait()
	poll := time.NewTimer(0) // at once: what the last process left behind
	defer poll.Stop()
	start := func(work func()) bool {
		select {
		case b.slots <- struct{}{}:
		case <-ctx.Done():
			return false
		}
		workers.Go(func() {
			defer func() { <-b.slots }()
			work()
		})
		return true
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.queue.signal:
			b.intake.giveWay(ctx, len(b.slots)) // what waits stays in the queue meanwhile: see reserve
			if key, ok := b.queue.take(); ok && !start(func() { b.workOn(ctx, key) }) {
				return
			}
		case <-poll.C:
			for b.claimForgotten(ctx, start) {
			}
			poll.Reset(b.cfg.Poll)
		}
	}
}

// claimForgotten takes one thread that has work and no worker: after a crash
// here or elsewhere, or when a wake-up was lost. It reports whether to look
// for more.
func (b *Bot) claimForgotten(ctx context.Context, start func(func()) bool) bool {
	b.intake.giveWay(ctx, len(b.slots))
	l, ok, err := b.cfg.Record.Claim(ctx, "", b.cfg.Owner, b.cfg.LeaseTTL)
	if err != nil || !ok {
		if err != nil && ctx.Err() == nil {
			b.log.WarnContext(ctx, "look for work", "err", err)
		}
		return false
	}
	if !b.queue.begin(l.Thread) { // the queue's worker is about to claim it
		b.release(ctx, l)
		b.queue.add(l.Thread)
		return false
	}
	if start(func() { b.workLeased(ctx, l, Item{}) }) {
		return true
	}
	b.queue.done(l.Thread)
	b.release(ctx, l)
	return false
}

// workLeased works on a thread that was leased without the queue.
func (b *Bot) workLeased(ctx context.Context, l Lease, it Item) {
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
func (b *Bot) work(ctx context.Context, l Lease, it Item) {
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
		if err := b.survived(ctx, "item", func() error { return b.handle(ctx, l, it) }); err != nil {
			b.broke(ctx, "item stays in the inbox", err, "item_kind", it.Kind, "tries", it.Attempts+1)
			break
		}
		it = Item{}
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
	case errors.Is(err, ErrFenced), errors.Is(err, errLost):
		b.log.InfoContext(ctx, "thread is worked on no more here: its lease was taken", about...)
	default:
		b.log.WarnContext(ctx, what, append(about, "err", err)...)
	}
}

// release gives a lease back, also when the program stops. If that fails, the lease
// ends by itself.
func (b *Bot) release(ctx context.Context, l Lease) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer done()
	if err := b.cfg.Record.Release(ctx, l); err != nil && !errors.Is(err, ErrFenced) {
		b.log.WarnContext(ctx, "release thread", "err", err)
	}
}

// heartbeat keeps the lease alive, and stops the work when it is lost or may
// have been: a worker that cannot renew must not write.
func (b *Bot) heartbeat(ctx context.Context, l Lease, cancel context.CancelCauseFunc) {
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
		case errors.Is(err, ErrFenced), b.cfg.Now().Sub(last) > b.cfg.LeaseTTL*2/3:
			cancel(errLost)
			return
		}
	}
}

// renew prolongs a lease, without waiting longer than the lease allows.
func (b *Bot) renew(ctx context.Context, l Lease) error {
	ctx, done := context.WithTimeout(ctx, b.cfg.LeaseTTL/3)
	defer done()
	_, err := b.cfg.Record.Renew(ctx, l, b.cfg.LeaseTTL)
	return err
}

// listen queues threads that other replicas put work into.
func (b *Bot) listen(ctx context.Context, w Waker) {
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
