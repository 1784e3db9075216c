package outbound

import (
	"context"
	"log/slog"
	"net/url"
	"sync"
	"time"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/adapters/lanes/cache"
	"maru/bot"
)

// Sender posts, edits and removes the bot's messages. It remembers their content, so that
// nothing appears twice and no edit is redundant.
type Sender struct {
	api       caller
	me        self
	dir       directory
	notes     notes
	inChannel bool          // answers go into the question's channel
	within    time.Duration // how long a reaction waits for the rate limit
	log       *slog.Logger
	now       func() time.Time

	ledger *ledger                      // posted messages, for finding lost replies
	shown  *cache.Cache[string, string] // digest of the bot's messages as shown
	v2     *cache.Cache[string, bool]   // own messages that consist of components
	making sync.Map                     // by thread ID: *making
}

// Config holds a sender's dependencies.
type Config struct {
	API       caller
	Self      self
	Directory directory
	Notes     notes
	InChannel bool          // answers go into the question's channel
	Within    time.Duration // how long a reaction waits for the rate limit
	Log       *slog.Logger
	Now       func() time.Time
}

// caller makes API requests.
type caller interface {
	Do(ctx context.Context, c rest.Call) error
}

// self is the bot's identity.
type self interface {
	ID() string                              // "" before it is known
	Ask(ctx context.Context) (string, error) // looked up if unknown
}

// directory resolves channels and threads, and records new ones.
type directory interface {
	Known(id string) (wire.Channel, bool)
	IsDeleted(id string) bool
	IsThread(ctx context.Context, id string) (bool, error)
	Messages(ctx context.Context, channel string, q url.Values) ([]wire.Message, error)
	Where(t bot.Thread, message string) string
	NoteQuestion(id string)
	NoteRoot(message, root string)
	NoteThread(c wire.Channel)
	SetChannel(c wire.Channel)
}

// notes are durable once they are open.
type notes interface {
	Note(ctx context.Context, key string) (string, error)
	SetNote(ctx context.Context, key, value string) error
	IsOpen() bool
}

// NewSender returns a sender.
func NewSender(cfg Config) *Sender {
	return &Sender{
		api: cfg.API, me: cfg.Self, dir: cfg.Directory, notes: cfg.Notes, inChannel: cfg.InChannel, within: cfg.Within, log: cfg.Log, now: cfg.Now,
		ledger: newLedger(), shown: cache.New[string, string](4096), v2: cache.New[string, bool](4096),
	}
}
