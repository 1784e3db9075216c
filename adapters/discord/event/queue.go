package event

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/adapters/lanes"
	"maru/bot"
)

// Queue delivers the events of each channel to the bot, in order, and recovers missed ones:
// those during downtime and those that Discord lost.
type Queue struct {
	api    caller
	places places
	reader reader
	notes  bot.Notes
	tasks  tasks
	log    *slog.Logger
	now    func() time.Time
	wait   func(context.Context, time.Duration) error
	reach  time.Duration // maximum age of a missed message that is answered

	lanes  *lanes.Lanes[Event]
	tracks *tracks // delivered so far
}

// Config holds a queue's dependencies.
type Config struct {
	API    caller
	Places places
	Reader reader
	Notes  bot.Notes
	Tasks  tasks
	Log    *slog.Logger
	Now    func() time.Time
	Wait   func(context.Context, time.Duration) error
	Reach  time.Duration // maximum age of a missed message that is answered
}

// caller makes API requests.
type caller interface {
	Do(ctx context.Context, c rest.Call) error
}

// places resolves guilds, channels and conversations.
type places interface {
	GuildIDs() []string // newest first
	Conversation(ctx context.Context, channel, guild string) (bot.Thread, wire.Channel, error)
	Where(t bot.Thread, message string) string
	Messages(ctx context.Context, channel string, q url.Values) ([]wire.Message, error)
}

// reader converts Discord's messages to the bot's; ok is false for messages that the bot
// ignores.
type reader interface {
	Message(ctx context.Context, m *wire.Message) (msg bot.Message, ok bool, err error)
	Edit(ctx context.Context, m *wire.Message) (c bot.Change, ok bool, err error)
	Deletion(ctx context.Context, id, channel, guild string, at time.Time) (bot.Change, error)
}

// tasks runs background work and recovers panics.
type tasks interface {
	Spawn(ctx context.Context, f func(context.Context)) bool
	Recover(ctx context.Context, what string)
}

// NewQueue returns an empty queue.
func NewQueue(cfg Config) *Queue {
	return &Queue{
		api: cfg.API, places: cfg.Places, reader: cfg.Reader, notes: cfg.Notes, tasks: cfg.Tasks, log: cfg.Log, now: cfg.Now, wait: cfg.Wait,
		reach: cfg.Reach, lanes: newLanes(), tracks: newTracks(),
	}
}

// Divide sets the number of shards.
func (q *Queue) Divide(shards int) { q.tracks.divide(shards) }

// Idle reports whether no event waits.
func (q *Queue) Idle() bool { return q.lanes.Idle() }

// Run delivers events to in until ctx ends, sweeps for lost ones, and saves its
// positions. up returns the connected shards.
func (q *Queue) Run(ctx context.Context, in bot.Intake, up func() []int) {
	var running sync.WaitGroup
	running.Go(func() { q.lanes.Run(ctx, func(ctx context.Context, e Event) { q.take(ctx, in, e) }) })
	running.Go(func() { q.keepTracks(ctx) })
	running.Go(func() { q.sweep(ctx, up) })
	running.Wait()
}

// Push queues an event behind the others of its channel.
func (q *Queue) Push(e Event) { q.lanes.Push(e.Channel, e) }
