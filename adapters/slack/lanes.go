package slack

import (
	"context"
	"hash/fnv"
	"sync"
)

const (
	laneCount = 16
	laneDepth = 64
)

// lanes keep the events of one channel in order while channels go side by side,
// so that a slow commit in one does not hold up the connection's reader.
type lanes struct {
	queues []chan func()
	wg     sync.WaitGroup
}

func newLanes() *lanes {
	l := &lanes{queues: make([]chan func(), laneCount)}
	for i := range l.queues {
		q := make(chan func(), laneDepth)
		l.queues[i] = q
		l.wg.Go(func() {
			for f := range q {
				f()
			}
		})
	}
	return l
}

// put queues f behind what has the same key; it blocks while the lane is full.
func (l *lanes) put(ctx context.Context, key string, f func()) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	select {
	case l.queues[h.Sum32()%laneCount] <- f:
	case <-ctx.Done():
	}
}

// close waits for everything that is queued.
func (l *lanes) close() {
	for _, q := range l.queues {
		close(q)
	}
	l.wg.Wait()
}
