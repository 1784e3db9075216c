package library

import (
	"context"
	"slices"
	"sync"
)

const (
	maxReading = 2       // concurrent readings; each may use all cores for a while
	largeFile  = 1 << 20 // size in bytes of a slow document, of which only one is read at a time
)

// admission schedules the reading of documents in arrival order: at most maxReading at once, at most one per
// scope, and at most one large one. So additions in one channel do not delay those of another.
type admission struct {
	mu      sync.Mutex
	reading []ticket
	waiting []ticket
}

// ticket is a document that is waiting or being read.
type ticket struct {
	scope    string
	large    bool
	admitted chan struct{} // closed when it may be read
}

// enter waits until a document may be read or ctx ends. The caller must call
// leave when it is done.
func (a *admission) enter(ctx context.Context, scope string, size int) (leave func(), err error) {
	t := ticket{scope: scope, large: size >= largeFile, admitted: make(chan struct{})}
	a.mu.Lock()
	a.waiting = append(a.waiting, t)
	a.admit()
	a.mu.Unlock()
	leave = sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.reading, a.waiting = without(a.reading, t), without(a.waiting, t)
		a.admit()
	})
	select {
	case <-t.admitted:
		return leave, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// admit admits every waiting document that fits. The caller holds mu.
func (a *admission) admit() {
	for i := 0; i < len(a.waiting); {
		t := a.waiting[i]
		conflicts := func(o ticket) bool { return o.scope == t.scope || o.large && t.large }
		if len(a.reading) == maxReading || slices.ContainsFunc(a.reading, conflicts) {
			i++
			continue
		}
		a.waiting = slices.Delete(a.waiting, i, i+1)
		a.reading = append(a.reading, t)
		close(t.admitted)
	}
}

func without(list []ticket, t ticket) []ticket {
	return slices.DeleteFunc(list, func(o ticket) bool { return o.admitted == t.admitted })
}
