package discord

import (
	"context"
	"log/slog"
	"time"

	"maru/adapters/discord/inbound"
	"maru/adapters/discord/place"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/task"
	"maru/adapters/discord/wire"
	"maru/adapters/lanes"
	"maru/bot"
)

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
	message *wire.Message
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

// queue brings the events of each channel to the bot, in order, and finds those
// that nobody told of: missed while the bot was away or lost on their way.
type queue struct {
	api    *rest.Client
	dir    *place.Directory
	reader *inbound.Reader
	notes  bot.Notes
	tasks  *task.Group
	log    *slog.Logger
	now    func() time.Time
	wait   func(context.Context, time.Duration) error
	reach  time.Duration // how old a missed message may be to be answered

	lanes  *lanes.Lanes[event]
	tracks *tracks // what was seen
}

func newQueue(api *rest.Client, dir *place.Directory, reader *inbound.Reader, notes bot.Notes, tasks *task.Group, cfg Config) *queue {
	return &queue{
		api: api, dir: dir, reader: reader, notes: notes, tasks: tasks, log: cfg.Logger, now: cfg.Now, wait: cfg.Wait,
		reach: cfg.CatchUp, lanes: newLanes(), tracks: newTracks(),
	}
}

// divide sets how many shards there are.
func (q *queue) divide(shards int) { q.tracks.divide(shards) }

// idle reports whether no event waits.
func (q *queue) idle() bool { return q.lanes.Idle() }

// run brings events to the bot until ctx ends.
func (q *queue) run(ctx context.Context, in bot.Intake) {
	q.lanes.Run(ctx, func(ctx context.Context, e event) { q.take(ctx, in, e) })
}

// push has an event brought to the bot behind those of its channel.
func (q *queue) push(e event) { q.lanes.Push(e.channel, e) }
