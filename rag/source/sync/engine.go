// Package sync keeps the documents of sources in step with what is outside: [Engine] looks at every source when it is due,
// lists what there is, fetches what changed, and removes what is gone.
//
// Its invariants:
//
//   - One process at a time works on a source, by its lease in the record.
//   - How far a look has come is in the record after every page of a listing and every item. A killed look goes on
//     there; an item that was added just before is added again, which changes nothing.
//   - A source that cannot be read loses no documents. A document goes when its item is gone, when a whole listing does
//     not name it, when readers or marks of its source change, or when the source is removed.
//   - What could not be read is told item by item, tried again, and costs no other item. An item at which three
//     processes died is parked until it changes or a person retries it.
//
// It must not know how a kind of source is read: that is a [source.Source].
package sync

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	gosync "sync"
	"time"

	"maru/bot/chore"
	"maru/rag/library"
	"maru/rag/source"
)

// Config is what an Engine is made of. Numbers that are zero mean their defaults.
type Config struct {
	Store   source.Store
	Notes   Notes // keeps who reads what; nil: sources have one group of readers each
	Library *library.Library
	Open    func(r source.Row) (source.Source, error) // makes a source of a row
	Rows    []source.Row                              // of the configuration file
	Owner   string                                    // names this process among the replicas
	Log     *slog.Logger
	Now     func() time.Time
	Poll    time.Duration // between two looks for what is due; default 5 s
	Lease   time.Duration // a dead process's source is taken over after it; default 1 min
	Retry   time.Duration // first wait after a source could not be read, doubled up to an hour; default 30 s
	Again   time.Duration // first wait before an item that could not be fetched is tried again; default 2 s
	Workers int           // sources at the same time; default 3
}

// Engine keeps sources in sync. It is safe for concurrent use.
type Engine struct {
	Config

	room room // in which items are read: alone the one that may kill the process

	mu       gosync.Mutex
	running  map[string]bool
	declared bool // Rows are in the record
}

// New returns an engine.
func New(c Config) *Engine {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&c.Poll, 5*time.Second)
	def(&c.Lease, time.Minute)
	def(&c.Retry, 30*time.Second)
	def(&c.Again, 2*time.Second)
	if c.Workers <= 0 {
		c.Workers = 3
	}
	return &Engine{Config: c, room: newRoom(c.Workers), running: map[string]bool{}}
}

// Run looks at sources when they are due, until ctx ends. It returns when no look is under way.
func (e *Engine) Run(ctx context.Context) {
	var looks gosync.WaitGroup
	defer looks.Wait()
	chore.Every(ctx, e.Log, "sources", e.Poll, func() { e.poll(ctx, &looks) })
}

// poll starts what is due.
func (e *Engine) poll(ctx context.Context, looks *gosync.WaitGroup) {
	if err := e.declare(ctx); err != nil {
		if ctx.Err() == nil {
			e.Log.WarnContext(ctx, "store the sources of the configuration", "err", err)
		}
		return
	}
	rows, err := e.Store.Sources(ctx)
	if err != nil {
		if ctx.Err() == nil {
			e.Log.WarnContext(ctx, "look for sources", "err", err)
		}
		return
	}
	slices.SortFunc(rows, func(a, b source.Row) int { return a.Progress.Due.Compare(b.Progress.Due) })
	for _, r := range rows {
		if !due(r, e.Now()) || !e.take(r.Name) {
			continue
		}
		looks.Go(func() {
			defer e.leave(r.Name)
			chore.Guard(ctx, e.Log, "source "+r.Name, func() { e.visit(ctx, r.Name) })
		})
	}
}

// due reports whether there is work on a source.
func due(r source.Row, now time.Time) bool {
	switch {
	case r.Removed:
		return true
	case r.Paused || r.Left:
		return false
	}
	if r.Progress.Phase != source.Idle && r.Progress.Tries == 0 { // it was cut off
		return true
	}
	another := r.Progress.Sweep > 0 && r.Progress.Of != r.Spec.Identity() // such as other readers
	return another || !r.Progress.Due.After(now) || r.Wanted.After(r.Progress.Heard)
}

func (e *Engine) take(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running[name] || len(e.running) >= e.Workers {
		return false
	}
	e.running[name] = true
	return true
}

func (e *Engine) leave(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.running, name)
}

// visit works on a source as long as this process has its lease.
func (e *Engine) visit(ctx context.Context, name string) {
	row, got, err := e.Store.LeaseSource(ctx, name, e.Owner, e.Now(), e.Now().Add(e.Lease))
	if err != nil {
		if ctx.Err() == nil {
			e.Log.WarnContext(ctx, "lease a source", "source", name, "err", err)
		}
		return
	}
	if !got {
		return // another replica works on it
	}
	defer func() {
		last, cancel := chore.AtTheEnd(ctx)
		defer cancel()
		if err := e.Store.FreeSource(last, name, e.Owner); err != nil {
			e.Log.WarnContext(last, "give the lease of a source back; it ends by itself", "source", name, "err", err)
		}
	}()
	if !due(row, e.Now()) { // another replica has done it
		return
	}
	held, stop := e.hold(ctx, row)
	defer stop()
	l := &look{Engine: e, row: row, p: row.Progress, log: e.Log.With("source", name), described: map[string]bool{}}
	if err := l.run(held); err != nil && !errors.Is(err, errStop) && held.Err() == nil {
		l.log.WarnContext(ctx, "a look at a source was broken off and goes on later", "err", err)
	}
}

// hold renews the lease of a source until stop. Its context ends when the lease is lost, or when somebody pauses, removes
// or changes the source.
func (e *Engine) hold(ctx context.Context, row source.Row) (held context.Context, stop func()) {
	held, cancel := context.WithCancel(ctx)
	var beat gosync.WaitGroup
	beat.Go(func() {
		tick := time.NewTicker(e.Lease / 6)
		defer tick.Stop()
		for {
			select {
			case <-held.Done():
				return
			case <-tick.C:
			}
			now, got, err := e.Store.LeaseSource(held, row.Name, e.Owner, e.Now(), e.Now().Add(e.Lease))
			if err != nil {
				continue // the writes of the look find out whether the lease is lost
			}
			if !got || now.Paused != row.Paused || now.Removed != row.Removed || now.Left != row.Left || now.Spec != row.Spec {
				cancel()
				return
			}
		}
	})
	return held, func() {
		cancel()
		beat.Wait()
	}
}
