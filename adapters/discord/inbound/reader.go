package inbound

import (
	"context"
	"log/slog"
	"net/url"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/adapters/lanes/cache"
	"maru/bot"
)

// Reader turns what people write into what the bot reads: messages, edits, what was
// said before, and what a link leads to.
type Reader struct {
	api       caller
	me        self
	places    places
	members   members
	tasks     spawner
	teller    teller
	inChannel bool // answers stand in the channel of the question
	log       *slog.Logger

	hinted *cache.Cache[string, bool] // threads in which people were told what cannot be read
}

// Config is what a reader needs.
type Config struct {
	API       caller
	Self      self
	Places    places
	Members   members
	Tasks     spawner
	Teller    teller
	InChannel bool // answers stand in the channel of the question
	Log       *slog.Logger
}

// caller makes a request to the API.
type caller interface {
	Do(ctx context.Context, c rest.Call) error
}

// self is the bot's own account.
type self interface {
	ID() string
	Name() string
	Limited() bool // Discord hides what messages say
}

// places knows channels, threads and the conversations that they are.
type places interface {
	Conversation(ctx context.Context, channel, guild string) (bot.Thread, wire.Channel, error)
	Begin(msg *bot.Message, m *wire.Message)
	Known(id string) (wire.Channel, bool)
	Channel(ctx context.Context, id string) (wire.Channel, error)
	IsThread(ctx context.Context, id string) (bool, error)
	InForum(t bot.Thread) bool
	Messages(ctx context.Context, channel string, q url.Values) ([]wire.Message, error)
}

// members knows who people are and what they may do.
type members interface {
	User(guild string, u *wire.User, m *wire.Member) bot.User
	Prove(at bot.Thread, u *wire.User, m *wire.Member, eventID string)
	RolesNow(ctx context.Context, guild, user string) (roles []string, ok bool, err error)
	May(ctx context.Context, t bot.Thread, user string, roles []string, rights uint64) (bool, error)
	RoleName(guild, id string) string
	IsBotRole(guild, id, bot string) bool
}

// spawner runs work beside; false when it is over.
type spawner interface {
	Spawn(ctx context.Context, f func(context.Context)) bool
}

// teller tells people in a channel why they get no answer.
type teller interface {
	Tell(ctx context.Context, channel, text, key string) error
}

// New returns a reader.
func New(cfg Config) *Reader {
	return &Reader{
		api: cfg.API, me: cfg.Self, places: cfg.Places, members: cfg.Members, tasks: cfg.Tasks, teller: cfg.Teller,
		inChannel: cfg.InChannel, log: cfg.Log, hinted: cache.New[string, bool](4096),
	}
}
