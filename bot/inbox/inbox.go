// Package inbox accepts messages and hands them to workers. At most one worker across all
// replicas processes a thread at a time.
//
// [Intake] decides whether a message is for the bot and commits it as an item.
// [Workers] keep the threads that have work in a fair queue, lease them from the
// record, run their items in order through [Turns] and keep the leases alive. [Jobs]
// do the background work that follows from answers. [Tries] decides when to give up on an item.
//
// Its invariants:
//
//   - An item is committed before the platform gets its acknowledgement, and ends only
//     with the transaction that finishes it: the poll claims the items of a dead process,
//     here or on another replica.
//   - Processing a thread requires its lease. A lease that cannot be renewed
//     cancels the processing with [bot.ErrLost].
//   - No user, channel or workspace takes the last free worker: see queue.
//   - A panic fails one item, not the process.
//
// It must not know how an item is answered, what an agent is, or what a platform is.
package inbox

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"maru/bot"
)

// Record is the part of the record that leases threads and keeps their items.
type Record interface {
	Put(ctx context.Context, it bot.Item) (bool, error)
	Begin(ctx context.Context, it bot.Item, owner string, ttl time.Duration) (fresh bool, l bot.Lease, first bot.Item, err error)
	Claim(ctx context.Context, thread, owner string, ttl time.Duration, but ...string) (l bot.Lease, ok bool, err error)
	Take(ctx context.Context, thread, owner string, ttl time.Duration) (l bot.Lease, it bot.Item, ok bool, err error)
	Next(ctx context.Context, l bot.Lease) (it bot.Item, ok bool, err error)
	Renew(ctx context.Context, l bot.Lease, ttl time.Duration) (bot.Lease, error)
	Release(ctx context.Context, l bot.Lease) error
}

// Turns processes one item. It returns nil when the item is finished, and an error
// when it stays pending.
type Turns interface {
	Handle(ctx context.Context, l bot.Lease, it bot.Item) error
}

// Deaths detects crashed processes and the items that crash them.
type Deaths interface {
	// Look checks for crashed processes. It runs before their threads are claimed.
	Look(ctx context.Context)
	// Survived notes that this process lost a lease, or failed to release one, without crashing.
	Survived()
}

// Config holds the dependencies and limits of Workers. All fields but Deaths are required.
type Config struct {
	Record   Record
	Turns    Turns
	Deaths   Deaths // nil: no item is parked
	Log      *slog.Logger
	Now      func() time.Time
	Owner    string        // unique name of this process among the replicas
	Workers  int           // threads processed concurrently
	LeaseTTL time.Duration // a dead process's threads are claimed after it
	Poll     time.Duration // interval between searches for unclaimed threads
}

// Workers process the threads that have items. They are safe for concurrent use.
type Workers struct {
	record         Record
	turns          Turns
	deaths         Deaths
	log            *slog.Logger
	now            func() time.Time
	owner          string
	leaseTTL, poll time.Duration

	queue  *queue
	leased chan handedOut // threads leased by Enqueue, each with a reserved worker
	burst  burst
	woken  chan struct{} // holds a token after a wake-up by another replica, or by a stop request of this one
}

// New returns Workers.
func New(c Config) *Workers {
	if c.Deaths == nil {
		c.Deaths = immortal{}
	}
	return &Workers{
		record: c.Record, turns: c.Turns, deaths: c.Deaths, log: c.Log, now: c.Now, owner: c.Owner, leaseTTL: c.LeaseTTL, poll: c.Poll,
		queue: newQueue(c.Workers), leased: make(chan handedOut, c.Workers), woken: make(chan struct{}, 1),
	}
}

// immortal is a Deaths that detects nothing.
type immortal struct{}

func (immortal) Look(context.Context) {}
func (immortal) Survived()            {}

// Run processes threads until ctx ends, and returns once each has reached its next checkpoint.
func (w *Workers) Run(ctx context.Context) {
	w.deaths.Look(ctx)
	var all sync.WaitGroup
	all.Go(func() { w.dispatch(ctx) })
	all.Go(func() { w.startLeased(ctx) })
	if r, ok := w.record.(bot.Waker); ok {
		all.Go(func() { w.listen(ctx, r) })
	}
	all.Wait()
}

// Wake queues a thread that has new items.
func (w *Workers) Wake(thread string) { w.queue.add(thread) }

// Lend frees a thread's worker until back is called, because the thread only waits
// for its platform.
func (w *Workers) Lend(thread string) (back func()) { return w.queue.lend(thread) }

// Has reports whether a thread is queued or being processed here.
func (w *Workers) Has(thread string) bool { return w.queue.busyWith(thread) }

// Woken receives a token after a wake-up by another replica.
func (w *Workers) Woken() <-chan struct{} { return w.woken }

// Accepting counts a platform event as being accepted until the returned function is called: during a
// burst, accepting events takes precedence over answering them.
func (w *Workers) Accepting() (accepted func()) { return w.burst.event() }
