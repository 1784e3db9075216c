package inbox

import (
	"context"
	"sync/atomic"
	"time"
)

// burst tracks the rate of incoming platform events. During a burst, workers pause so that events are accepted first:
// platforms require an acknowledgement within seconds, while a model's answer takes longer anyway.
type burst struct {
	busy atomic.Int64 // events being accepted
	last atomic.Int64 // end of the last one, Unix nanoseconds
}

const (
	intakeQuiet = 2 * time.Millisecond   // a gap this long ends the burst
	intakeMost  = 250 * time.Millisecond // maximum pause
	intakeFree  = 8                      // threads processed even during a burst
)

// event counts an event until the returned function is called.
func (i *burst) event() (accepted func()) {
	i.busy.Add(1)
	return func() {
		i.last.Store(time.Now().UnixNano())
		i.busy.Add(-1)
	}
}

// awaitEnd waits for the end of a burst, at most intakeMost, unless fewer than intakeFree threads are being processed.
func (i *burst) awaitEnd(ctx context.Context, working int) {
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
