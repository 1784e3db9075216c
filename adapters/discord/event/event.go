package event

import (
	"maru/adapters/discord/wire"
	"maru/adapters/lanes"
)

const (
	laneDepth = 2048  // waiting events per channel
	maxQueued = 32768 // in all
	maxTaken  = 64    // channels that are delivered concurrently
)

// Event is something that happened in a channel.
type Event struct {
	Kind    string // "create", "update", "delete", "missed", "recheck"
	Channel string
	Guild   string
	ID      string // of a Missed event: reading starts here
	since   string // of a Missed event without ID: the newest message handed to the bot by then
	Message *wire.Message
	caught  bool // of a Create event: read over the API, not delivered by the gateway
}

// The kinds of events.
const (
	Create  = "create"
	Update  = "update"
	Delete  = "delete"
	Missed  = "missed"  // read the missed messages of the channel
	Recheck = "recheck" // find unreported edits and deletions
)

// newLanes returns one FIFO lane per channel. Push never blocks, because the gateway's
// reader must not: without room the event is dropped, and the channel's messages are
// read over the API once the earlier events are done.
func newLanes() *lanes.Lanes[Event] {
	return lanes.New(lanes.Config[Event]{
		Depth: laneDepth, Total: maxQueued, AtOnce: maxTaken,
		Lost: func(e Event) Event {
			return Event{Kind: Missed, Channel: e.Channel, Guild: e.Guild, ID: e.ID, since: e.since}
		},
	})
}
