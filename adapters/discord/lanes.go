package discord

import (
	"context"
	"hash/fnv"
	"sync"
)

const (
	laneCount = 16
	laneSize  = 2048 // events that wait in one lane
)

// event is something that happened in a channel.
type event struct {
	kind    string // "create", "update", "delete", "missed", "recheck"
	channel string
	guild   string
	id      string // of a missed one: what is read begins here
	since   string // of a missed one without id: what had been brought to the bot when it was missed
	message *message
	caught  bool // of a created one: read over the API, not told by the gateway
}

// The kinds of events.
const (
	eventCreate  = "create"
	eventUpdate  = "update"
	eventDelete  = "delete"
	eventMissed  = "missed"  // read what was missed in the channel
	eventRecheck = "recheck" // see whether what was said before still stands
)

// lanes bring events to the bot: those of one channel in order, one at a time;
// those of others beside it. Pushing never waits, for the gateway's reader must
// not: a lane that is full forgets the event and reads the channel's messages
// from the API when it has room again.
type lanes struct {
	lane [laneCount]lane
}

type lane struct {
	mu     sync.Mutex
	queue  []event
	missed map[string]event // by channel: the first forgotten event
	busy   bool
	signal chan struct{}
}

func newLanes() *lanes {
	l := &lanes{}
	for i := range l.lane {
		l.lane[i].signal = make(chan struct{}, 1)
		l.lane[i].missed = map[string]event{}
	}
	return l
}

func (l *lanes) push(e event) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(e.channel)) // never fails
	n := &l.lane[h.Sum32()%laneCount]
	n.mu.Lock()
	defer n.mu.Unlock()
	_, behind := n.missed[e.channel]
	switch {
	case behind: // will be read with what was forgotten before it
	case len(n.queue) >= laneSize:
		n.missed[e.channel] = e
	default:
		n.queue = append(n.queue, e)
	}
	select {
	case n.signal <- struct{}{}:
	default:
	}
}

// run hands events to take until ctx ends.
func (l *lanes) run(ctx context.Context, take func(context.Context, event)) {
	var all sync.WaitGroup
	defer all.Wait()
	for i := range l.lane {
		n := &l.lane[i]
		all.Go(func() {
			for ctx.Err() == nil {
				e, ok := n.next()
				if ok {
					take(ctx, e)
					continue
				}
				select {
				case <-ctx.Done():
				case <-n.signal:
				}
			}
		})
	}
}

func (n *lane) next() (event, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.busy = false
	if len(n.queue) > 0 {
		e := n.queue[0]
		n.queue = n.queue[1:]
		n.busy = true
		return e, true
	}
	for c, e := range n.missed {
		delete(n.missed, c)
		n.busy = true
		return event{kind: eventMissed, channel: c, guild: e.guild, id: e.id, since: e.since}, true
	}
	return event{}, false
}

// idle reports whether nothing waits and nothing is being done.
func (l *lanes) idle() bool {
	for i := range l.lane {
		n := &l.lane[i]
		n.mu.Lock()
		waiting := len(n.queue) > 0 || len(n.missed) > 0 || n.busy
		n.mu.Unlock()
		if waiting {
			return false
		}
	}
	return true
}
