package event

import (
	"maru/adapters/discord/wire"
	"maru/adapters/lanes"
)

const (
	laneDepth = 2048  // events that wait in one channel
	maxQueued = 32768 // in all
	maxTaken  = 64    // channels whose events are brought to the bot at the same time
)

// Event is something that happened in a channel.
type Event struct {
	Kind    string // "create", "update", "delete", "missed", "recheck"
	Channel string
	Guild   string
	ID      string // of a missed one: what is read begins here
	since   string // of a missed one without id: what had been brought to the bot when it was missed
	Message *wire.Message
	caught  bool // of a created one: read over the API, not told by the gateway
}

// The kinds of events.
const (
	Create  = "create"
	Update  = "update"
	Delete  = "delete"
	Missed  = "missed"  // read what was missed in the channel
	Recheck = "recheck" // see whether what was said before still stands
)

// newLanes returns the lanes of channels. Pushing never waits, for the gateway's reader
// must not: where there is no room the event is forgotten, and the channel's messages are
// read from the API when what came before is done.
func newLanes() *lanes.Lanes[Event] {
	return lanes.New(lanes.Config[Event]{
		Depth: laneDepth, Total: maxQueued, AtOnce: maxTaken,
		Lost: func(e Event) Event {
			return Event{Kind: Missed, Channel: e.Channel, Guild: e.Guild, ID: e.ID, since: e.since}
		},
	})
}
