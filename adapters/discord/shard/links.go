package shard

import (
	"errors"
	"sync"
)

var errConnecting = errors.New("not connected yet")

// links holds the connection state of this process's shards.
type links struct {
	mu    sync.Mutex
	begun bool
	ever  bool          // some shard was connected
	why   map[int]error // nil: connected
}

func newLinks() *links { return &links{why: map[int]error{}} }

func (l *links) open(shard int) { l.set(shard, errConnecting) }

func (l *links) set(shard int, why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = true
	l.ever = l.ever || why == nil
	l.why[shard] = why
}

// worked reports whether this process was ever connected.
func (l *links) worked() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ever
}

func (l *links) drop(shard int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.why, shard)
}

// up returns the shards that are connected.
func (l *links) up() []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []int
	for shard, why := range l.why {
		if why == nil {
			out = append(out, shard)
		}
	}
	return out
}

// wait records that other replicas own the shards for now: this process is a ready
// standby.
func (l *links) wait() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = true
}

// state returns nil if all of this process's shards are connected.
func (l *links) state() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.begun {
		return errConnecting
	}
	for _, why := range l.why {
		if why != nil {
			return why
		}
	}
	return nil
}
