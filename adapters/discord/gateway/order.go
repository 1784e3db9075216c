package gateway

import "time"

const (
	holdFor   = 250 * time.Millisecond // how long an event waits for its predecessors
	maxHeld   = 1024                   // waiting events
	maxFutile = 3                      // unfilled gaps after which sequence numbers are ignored
)

// order sorts a session's events by sequence number. Discord sends them in order over one
// connection, but a proxy, a bug or a second connection may not. Missing events are requested
// again by resuming from the last number before them. Sequence numbers that prove meaningless
// are ignored.
type order struct {
	last   int64 // all events up to this one were delivered
	held   map[int64]frame
	tried  int64 // last at the time of the resume
	futile int   // gaps that a resume did not fill
	missed bool  // an event was delivered without its predecessors
}

// begin starts a session at READY's sequence number.
func (o *order) begin(seq int64) { *o = order{last: seq, held: map[int64]frame{}} }

// add returns the events that can be delivered now, in order. gap means that others wait.
func (o *order) add(f frame) (now []frame, gap bool) {
	switch {
	case f.Seq <= 0 || f.Seq <= o.last: // without a number, or redelivered: the reader handles duplicates
		return []frame{f}, len(o.held) > 0
	case f.Seq > o.last+1 && o.futile < maxFutile && len(o.held) < maxHeld:
		o.held[f.Seq] = f
		return nil, true
	case f.Seq > o.last+1:
		now = o.skip()
	}
	o.last = f.Seq
	return append(append(now, f), o.drain()...), len(o.held) > 0
}

// drain returns the waiting events that directly follow the last.
func (o *order) drain() []frame {
	var now []frame
	for {
		f, ok := o.held[o.last+1]
		if !ok {
			return now
		}
		delete(o.held, f.Seq)
		o.last = f.Seq
		now = append(now, f)
	}
}

// dropWaiting drops the waiting events, because the session resumes from before them.
func (o *order) dropWaiting() {
	clear(o.held)
	o.tried = o.last
}

// resumed is called at the end of a replay. If the replay did not fill the gap, the waiting
// events are delivered without it; if it filled a part, the rest is requested once more.
func (o *order) resumed() []frame {
	if len(o.held) == 0 || o.tried != o.last {
		return nil
	}
	return o.skip()
}

// skip returns all waiting events across the gaps.
func (o *order) skip() []frame {
	var now []frame
	o.missed = true
	o.futile++
	for len(o.held) > 0 {
		next := int64(0)
		for seq := range o.held {
			if next == 0 || seq < next {
				next = seq
			}
		}
		now = append(now, o.held[next])
		delete(o.held, next)
		o.last = next
	}
	return now
}
