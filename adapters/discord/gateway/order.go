package gateway

import "time"

const (
	holdFor   = 250 * time.Millisecond // how long events wait for the ones before them
	maxHeld   = 1024                   // events that wait
	maxFutile = 3                      // gaps that a session may have before its numbers are not trusted
)

// order brings a session's events into the order of their numbers. Over one
// connection Discord sends them so; a proxy, a bug or a second connection need
// not. What is missing is asked for again by resuming from the last number
// before it. Numbers that turn out to mean nothing are not looked at any more.
type order struct {
	last   int64 // all events up to this one were handed on
	held   map[int64]frame
	tried  int64 // last, when missing events were asked for
	futile int   // gaps that a resume did not fill
	missed bool  // something was handed on without what came before it
}

// begin starts a session at the number of its READY.
func (o *order) begin(seq int64) { *o = order{last: seq, held: map[int64]frame{}} }

// add returns the events that can be handed on now, in order. gap says that
// others wait.
func (o *order) add(f frame) (now []frame, gap bool) {
	switch {
	case f.Seq <= 0 || f.Seq <= o.last: // without a number, or sent again: whoever reads it knows what it is
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

// drain hands on what waited for the last event alone.
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

// lost forgets what waits, because the session will be resumed from before it.
func (o *order) lost() {
	clear(o.held)
	o.tried = o.last
}

// resumed is called when everything that was missed has been sent again. If it
// did not fill the gap, what waits is handed on without it. If it filled a part
// of it, the rest is worth asking once more.
func (o *order) resumed() []frame {
	if len(o.held) == 0 || o.tried != o.last {
		return nil
	}
	return o.skip()
}

// skip hands on everything that waits, whatever is missing in between.
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
