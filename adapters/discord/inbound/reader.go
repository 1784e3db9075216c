package inbound

import (
	"context"
	"io"
	"log/slog"
	"net/url"
	"time"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/adapters/lanes/cache"
	"maru/bot"
)

// Reader converts people's messages and edits, a thread's history, and the targets of links.
type Reader struct {
	api       caller
	files     opener
	me        self
	places    places
	members   members
	tasks     spawner
	teller    teller
	inChannel bool // answers go into the question's channel
	log       *slog.Logger
	apps      func(id string) bool

	searchTime time.Duration

	hinted *cache.Cache[string, bool] // threads with a notice about unreadable content
}

// Config holds a reader's dependencies.
type Config struct {
	API       caller
	Files     opener
	Self      self
	Places    places
	Members   members
	Tasks     spawner
	Teller    teller
	InChannel bool // answers go into the question's channel
	Log       *slog.Logger
	Apps      func(id string) bool // whose mentions are answered; nil: no app's

	SearchTime time.Duration // of one search through history
}

// caller makes API requests.
type caller interface {
	Do(ctx context.Context, c rest.Call) error
}

// opener opens attachments.
type opener interface {
	Fetch(ctx context.Context, f bot.File, limit int64) (io.ReadCloser, error)
}

// self is the bot's identity.
type self interface {
	ID() string
	Name() string
	Limited() bool // Discord hides message content
}

// places resolves channels, threads and conversations.
type places interface {
	Conversation(ctx context.Context, channel, guild string) (bot.Thread, wire.Channel, error)
	Begin(msg *bot.Message, m *wire.Message)
	Known(id string) (wire.Channel, bool)
	Channel(ctx context.Context, id string) (wire.Channel, error)
	IsThread(ctx context.Context, id string) (bool, error)
	InForum(t bot.Thread) bool
	Messages(ctx context.Context, channel string, q url.Values) ([]wire.Message, error)
	Open(ctx context.Context, t bot.Thread) ([]wire.Channel, error)
	Readers(ctx context.Context, t bot.Thread) ([]string, error)
	ReadersBack(ctx context.Context, t bot.Thread) ([]string, error)
}

// members looks up people and their permissions.
type members interface {
	User(guild string, u *wire.User, m *wire.Member) bot.User
	Prove(at bot.Thread, u *wire.User, m *wire.Member, eventID string)
	Guest(ctx context.Context, guild, user string) (bool, error)
	RolesNow(ctx context.Context, guild, user string) (roles []string, ok bool, err error)
	May(ctx context.Context, t bot.Thread, user string, roles []string, rights uint64) (bool, error)
	RoleName(guild, id string) string
	IsBotRole(guild, id, bot string) bool
}

// spawner runs background work; false after its end.
type spawner interface {
	Spawn(ctx context.Context, f func(context.Context)) bool
}

// teller explains in a channel why there is no answer.
type teller interface {
	Tell(ctx context.Context, channel, text, key string) error
}

// New returns a reader.
func New(cfg Config) *Reader {
	return &Reader{
		api: cfg.API, files: cfg.Files, me: cfg.Self, places: cfg.Places, members: cfg.Members, tasks: cfg.Tasks, teller: cfg.Teller,
		inChannel: cfg.InChannel, log: cfg.Log, apps: cfg.Apps, searchTime: cfg.SearchTime, hinted: cache.New[string, bool](4096),
	}
}
