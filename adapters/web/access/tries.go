package access

import (
	"sync"
	"time"
)

// Limits of wrong passwords within the window: per address, and in total. A browser that has signed in before has
// its own limit: behind a proxy that hides addresses, a stranger's wrong passwords must not lock out the owner.
const (
	triesEach   = 5
	triesAll    = 50
	triesWindow = time.Minute
)

// Tries counts wrong passwords by address or known browser. It is safe for concurrent use.
type Tries struct {
	mu    sync.Mutex
	since time.Time
	all   int
	each  map[Tryer]int
}

// NewTries returns empty Tries.
func NewTries() *Tries { return &Tries{each: make(map[Tryer]int)} }

// Allow reports whether a Tryer may try, and counts the try as wrong until [Tries.Right] revokes it, so that
// parallel tries count.
func (l *Tries) Allow(who Tryer, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(l.since) > triesWindow {
		l.since, l.all = now, 0
		clear(l.each)
	}
	if !who.Known && l.all >= triesAll || l.each[who] >= triesEach {
		return false
	}
	if !who.Known {
		l.all++
	}
	l.each[who]++
	return true
}

// Right uncounts a try.
func (l *Tries) Right(who Tryer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !who.Known {
		l.all = max(l.all-1, 0)
	}
	l.each[who] = max(l.each[who]-1, 0)
}

// Tryer identifies the source of a password try.
type Tryer struct {
	ID    string // an address, or the id of a known browser
	Known bool
}
