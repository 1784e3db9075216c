package discord

import "maru/adapters/lanes"

const (
	laneDepth = 2048  // events that wait in one channel
	maxQueued = 32768 // in all
	maxTaken  = 64    // channels whose events are brought to the bot at the same time
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

// newLanes returns the lanes of channels. Pushing never waits, for the gateway's reader
// must not: where there is no room the event is forgotten, and the channel's messages are
// read from the API when what came before is done.
func newLanes() *lanes.Lanes[event] {
	return lanes.New(lanes.Config[event]{
		Depth: laneDepth, Total: maxQueued, AtOnce: maxTaken,
		Lost: func(e event) event {
			return event{kind: eventMissed, channel: e.channel, guild: e.guild, id: e.id, since: e.since}
		},
	})
}

// push has an event brought to the bot behind those of its channel.
func (a *Adapter) push(e event) { a.lanes.Push(e.channel, e) }
