package main

import (
	"context"
	"slices"
	"sync"
)

const (
	addAtOnce = 2       // documents that are read at the same time: each may use the whole machine for a while
	largeFile = 1 << 20 // bytes from which on a document takes noticeable time; of such there is one at a time
)

// adding lets documents in to be read: few at the same time, of a scope one, and a large one
// not beside another. So what one place adds, however much and however large it is, holds up
// no other's. Who waits longest comes first.
type adding struct {
	mu    sync.Mutex
	now   []newcomer
	queue []newcomer
}

// newcomer is a document on its way in.
type newcomer struct {
	scope string
	large bool
	in    chan struct{} // closed: it may be read
}

// enter waits until a document may be read, or ctx ends; leave must be called then.
func (a *adding) enter(ctx context.Context, scope string, size int) (leave func(), err error) {
	n := newcomer{scope: scope, large: size >= largeFile, in: make(chan struct{})}
	a.mu.Lock()
	a.queue = append(a.queue, n)
	a.admit()
	a.mu.Unlock()
	leave = sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.now, a.queue = butFor(a.now, n), butFor(a.queue, n)
		a.admit()
	})
	select {
	case <-n.in:
		return leave, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// admit lets in whoever may be. The caller holds mu.
func (a *adding) admit() {
	for i := 0; i < len(a.queue); {
		n := a.queue[i]
		beside := func(o newcomer) bool { return o.scope == n.scope || o.large && n.large }
		if len(a.now) == addAtOnce || slices.ContainsFunc(a.now, beside) {
			i++
			continue
		}
		a.queue = slices.Delete(a.queue, i, i+1)
		a.now = append(a.now, n)
		close(n.in)
	}
}

func butFor(list []newcomer, n newcomer) []newcomer {
	return slices.DeleteFunc(list, func(o newcomer) bool { return o.in == n.in })
}
