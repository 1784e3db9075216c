package place

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/adapters/lanes/cache"
	"maru/bot"
)

// caller makes API requests.
type caller interface {
	Do(ctx context.Context, c rest.Call) error
}

// self is the bot's identity.
type self interface {
	ID() string // "" before it is known
}

// Directory resolves guilds, channels, threads and members from the gateway's events and the
// API, and the conversation of a message.
type Directory struct {
	*Map
	api       caller
	me        self
	inChannel bool // answers go into the question's channel
	now       func() time.Time

	questions *cache.Cache[string, bool]    // messages from which no thread was made yet
	roots     *cache.Cache[string, string]  // conversation of own messages in channels
	proofs    *cache.Cache[string, proof]   // by guild and person: Discord's latest data about them
	listings  *cache.Cache[string, listing] // by guild
	looks     *cache.Cache[string, *looked] // by path, see look
	refused   atomic.Bool                   // Discord gave no list of members
}

// Config holds a directory's dependencies.
type Config struct {
	Told      *Map // state from the gateway
	API       caller
	Self      self
	InChannel bool // answers go into the question's channel
	Now       func() time.Time
}

// New returns a directory over cfg.Told.
func New(cfg Config) *Directory {
	return &Directory{
		Map: cfg.Told, api: cfg.API, me: cfg.Self, inChannel: cfg.InChannel, now: cfg.Now,
		questions: cache.New[string, bool](4096), roots: cache.New[string, string](4096), proofs: cache.New[string, proof](4096),
		listings: cache.New[string, listing](maxListings), looks: cache.New[string, *looked](4096),
	}
}

// Platform is the adapter's name.
const Platform = "discord"

// TeamDirect is the team of direct messages.
const TeamDirect = "dm"

// Conversation returns the conversation of a channel's messages. For a guild's channel its ID
// is still empty. A channel that cannot be looked up is taken for what the message says.
func (d *Directory) Conversation(ctx context.Context, id, guild string) (bot.Thread, wire.Channel, error) {
	if guild == "" {
		if c, ok := d.Known(id); ok && c.GuildID != "" {
			guild = c.GuildID
		}
	}
	c, err := d.Channel(ctx, id)
	switch {
	case err == nil:
	case guild == "" && rest.StatusOf(err) != 0:
		c = wire.Channel{ID: id, Type: wire.ChannelDM} // an event without a guild is a direct message
	case rest.StatusOf(err) >= 400 && rest.StatusOf(err) < 500 && rest.StatusOf(err) != 429:
		c = wire.Channel{ID: id, GuildID: guild}
	default:
		return bot.Thread{}, wire.Channel{}, err
	}
	guild = cmp.Or(guild, c.GuildID)
	t := bot.Thread{Platform: Platform, Team: guild, Channel: id}
	switch {
	case guild == "" || c.IsDirect():
		t.Team, t.Direct = TeamDirect, c.Type != wire.ChannelGroupDM
	case c.IsThread():
		t.Channel, t.ID = cmp.Or(c.ParentID, id), id
	}
	return t, c, nil
}

// Channel returns a channel, from the API if it is not cached.
func (d *Directory) Channel(ctx context.Context, id string) (wire.Channel, error) {
	if c, ok := d.Known(id); ok {
		return c, nil
	}
	var c wire.Channel
	err := d.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/channels/" + id, Bucket: "channel/" + id, Out: &c, Again: true, Urgent: true})
	if err != nil {
		return wire.Channel{}, err
	}
	d.SetChannel(c)
	return c, nil
}

// PageSize is the maximum number of messages in a page.
const PageSize = 100

// Messages reads one page of a channel, oldest first.
func (d *Directory) Messages(ctx context.Context, channel string, q url.Values) ([]wire.Message, error) {
	var page []wire.Message
	err := d.api.Do(ctx, rest.Call{
		Method: http.MethodGet, Path: "/channels/" + channel + "/messages?" + q.Encode(),
		Bucket: "messages/" + channel, Out: &page, Again: true, Urgent: true,
	})
	slices.SortFunc(page, func(x, y wire.Message) int { return wire.CompareIDs(x.ID, y.ID) })
	return page, err
}

// IsThread reports whether id is a thread. A message without a thread has no channel with its
// ID.
func (d *Directory) IsThread(ctx context.Context, id string) (bool, error) {
	fresh, _ := d.questions.Get(id)
	if c, ok := d.Known(id); ok {
		return c.IsThread(), nil
	}
	if fresh {
		return false, nil
	}
	c, err := d.Channel(ctx, id)
	if rest.StatusOf(err) == http.StatusNotFound || rest.StatusOf(err) == http.StatusForbidden {
		return false, nil
	}
	return c.IsThread(), err
}

// Where returns the channel that contains a message of a conversation.
func (d *Directory) Where(t bot.Thread, message string) string {
	if t.ID == "" || t.Direct || t.Team == TeamDirect {
		return t.Channel
	}
	if message == t.ID && !d.InForum(t) {
		return t.Channel // the question that started the thread
	}
	if c, ok := d.Known(t.ID); ok && c.IsThread() || !d.inChannel {
		return t.ID
	}
	return t.Channel
}

// InForum reports whether a conversation is a forum post.
func (d *Directory) InForum(t bot.Thread) bool {
	parent, ok := d.Known(t.Channel)
	return ok && parent.IsForum()
}
