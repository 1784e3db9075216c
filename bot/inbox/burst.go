package inbox

import (
	"context"
	"sync/atomic"
	"time"
)

// burst says how busy the platforms' events are just now. A burst is let in
// before it is answered: the platforms want their acknowledgement within
// seconds, and an answer that a model is asked for takes longer anyway.
type burst struct {
	busy atomic.Int64 // events being accepted
	last atomic.Int64 // when the last one was, Unix nanoseconds
}

const (
	intakeQuiet = 2 * time.Millisecond   // no event for so long: the burst is over
	intakeMost  = 250 * time.Millisecond // work waits no longer for it
	intakeFree  = 8                      // so many threads are worked on whatever comes in
)

// event counts an event until the returned function is called.
func (i *burst) event() (accepted func()) {
	i.busy.Add(1)
	return func() {
		i.last.Store(time.Now().UnixNano())
		i.busy.Add(-1)
	}
}

// giveWay waits for the end of a burst when working threads are enough to keep
// the machine busy.
func (i *burst) giveWay(ctx context.Context, working int) {
	if working < intakeFree {
		return
	}
	tick := time.NewTicker(intakeQuiet)
	defer tick.Stop()
	for range intakeMost / intakeQuiet {
		if i.busy.Load() == 0 && time.Since(time.Unix(0, i.last.Load())) >= intakeQuiet {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
