// Package inbox accepts messages and hands them to workers; at any moment one worker of
// all replicas works on a thread.
//
// [Intake] decides whether a message is for the bot and commits it as an item.
// [Workers] keep the threads that have work in a fair queue, lease them from the
// record, run their items in order through [Turns] and keep the leases alive. [Jobs]
// do the background work that follows from answers. [Tries] decides when to give up on an item.
//
// Its invariants:
//
//   - An item is committed before the platform gets its acknowledgement, and ends only
//     with the transaction that finishes it: what a process leaves behind is claimed by
//     the poll, here or on another replica.
//   - Nobody works on a thread without its lease. A lease that cannot be renewed
//     cancels the work with [bot.ErrLost].
//   - No user, channel or workspace takes the last free worker: see queue.
//   - A panic is the failure of one item, not of the process.
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

// Turns works on one item. It returns nil when the item is finished, and an error
// when it stays pending.
type Turns interface {
	Handle(ctx context.Context, l bot.Lease, it bot.Item) error
}

// Deaths are told which processes died.
type Deaths interface {
	// Look looks for them: it comes before their threads are taken over.
	Look(ctx context.Context)
	// Survived says that this process lost a lease, or could not release it, and lives.
	Survived()
}

// Config is what Workers are made of. All of it is needed but Deaths.
type Config struct {
	Record   Record
	Turns    Turns
	Deaths   Deaths // nil: the record parks nothing
	Log      *slog.Logger
	Now      func() time.Time
	Owner    string        // names this process among the replicas
	Workers  int           // threads worked on at the same time
	LeaseTTL time.Duration // a dead process's threads are taken over after it
	Poll     time.Duration // how often forgotten work is looked for
}

// Workers work on the threads that have items. They are safe for concurrent use.
type Workers struct {
	record         Record
	turns          Turns
	deaths         Deaths
	log            *slog.Logger
	now            func() time.Time
	owner          string
	leaseTTL, poll time.Duration

	queue  *queue
	leased chan handedOut // what Enqueue has for workers, each with one
	burst  burst
	woken  chan struct{} // holds a token when another replica has called
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

// immortal are Deaths that nobody counts.
type immortal struct{}

func (immortal) Look(context.Context) {}
func (immortal) Survived()            {}

// Run works until ctx ends and all work has reached its next checkpoint.
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

// Wake queues a thread that has new work.
func (w *Workers) Wake(thread string) { w.queue.add(thread) }

// Lend gives a thread's worker to others until back is called: while the thread waits
// for its platform there is nothing to do but to wait.
func (w *Workers) Lend(thread string) (back func()) { return w.queue.lend(thread) }

// Has reports whether this process works on a thread, or will next.
func (w *Workers) Has(thread string) bool { return w.queue.busyWith(thread) }

// Woken holds a token when another replica has called.
func (w *Workers) Woken() <-chan struct{} { return w.woken }

// Accepting counts an event of a platform until the returned function is called: in a
// burst, events are let in before they are answered.
func (w *Workers) Accepting() (accepted func()) { return w.burst.event() }
