package interact

import (
	"context"
	"log/slog"
	"time"

	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/adapters/lanes/cache"
	"maru/bot"
)

// Handler handles interactions: commands, clicks, forms, autocompletion. It answers each
// within three seconds, even if the bot is not done.
type Handler struct {
	hooks     *webhooks
	places    places
	reader    reader
	direct    direct
	tasks     tasks
	inChannel bool          // answers go into the question's channel
	command   string        // the slash command
	within    time.Duration // deadline for answering a click
	log       *slog.Logger
	now       func() time.Time
	wait      func(context.Context, time.Duration) error

	tokens *cache.Cache[string, grant] // newest interaction of a person in a channel
	drafts *drafts
}

// Config holds a handler's dependencies.
type Config struct {
	API       caller
	Account   self
	Places    places
	Reader    reader
	Direct    direct
	Tasks     tasks
	InChannel bool          // answers go into the question's channel
	Command   string        // the slash command
	Within    time.Duration // deadline for answering a click
	Log       *slog.Logger
	Now       func() time.Time
	Wait      func(context.Context, time.Duration) error
}

// caller makes API requests.
type caller interface {
	Do(ctx context.Context, c rest.Call) error
}

// self is the bot's identity.
type self interface {
	Application() string                // "" before it is known
	Learn(id, name, application string) // "" leaves a value unchanged
}

// places resolves the place and actor of an interaction.
type places interface {
	SetChannel(c wire.Channel)
	Conversation(ctx context.Context, channel, guild string) (bot.Thread, wire.Channel, error)
	User(guild string, u *wire.User, m *wire.Member) bot.User
	Prove(at bot.Thread, u *wire.User, m *wire.Member, eventID string)
	RootOf(own *wire.Message) string
	BeginAbout(msg *bot.Message, m *wire.Message)
	IsRole(id string) bool
}

// reader reads messages.
type reader interface {
	PlainText(m *wire.Message, guild string) string
	Channels(content string) map[string]string
	NameChannels(content string) string
}

// direct sends direct messages when an interaction's token is unusable.
type direct interface {
	SendDirect(ctx context.Context, u bot.User, c bot.Card) error
	SendFilesDirect(ctx context.Context, u bot.User, o render.Outgoing, files []bot.Artifact) error
}

// tasks runs background work and recovers panics.
type tasks interface {
	Spawn(ctx context.Context, f func(context.Context)) bool
	Guard(ctx context.Context, what string, f func() error) error
}

// New returns a handler.
func New(cfg Config) *Handler {
	return &Handler{
		hooks: newWebhooks(cfg.API, cfg.Account, cfg.Wait), places: cfg.Places, reader: cfg.Reader, direct: cfg.Direct, tasks: cfg.Tasks,
		inChannel: cfg.InChannel, command: cfg.Command, within: cfg.Within, log: cfg.Log, now: cfg.Now, wait: cfg.Wait,
		tokens: cache.New[string, grant](1024), drafts: newDrafts(),
	}
}
