package discord

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"maru/adapters/discord/account"
	"maru/adapters/discord/cache"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/wire"
	"maru/bot"
)

// directory knows guilds, channels, threads and members: what the gateway told, and
// what the API says of the rest. It says to which conversation a message belongs.
type directory struct {
	*places
	api       *rest.Client
	me        *account.Account
	inChannel bool // answers stand in the channel of the question
	now       func() time.Time

	questions *lru.Cache[string, bool]   // messages from which no thread was made yet
	roots     *lru.Cache[string, string] // conversation of own messages in channels
	proofs    *lru.Cache[string, proof]  // by guild and person: what Discord said of them last
}

func newDirectory(told *places, api *rest.Client, me *account.Account, cfg Config) *directory {
	return &directory{
		places: told, api: api, me: me, inChannel: cfg.ChannelAnswers, now: cfg.Now,
		questions: cache.New[bool](4096), roots: cache.New[string](4096), proofs: cache.New[proof](4096),
	}
}

// platform is the adapter's name.
const platform = "discord"

// teamDirect is the team of direct messages.
const teamDirect = "dm"

// place returns the conversation that a channel's messages belong to. For a
// guild's channel its ID is still empty. A channel that cannot be asked for is
// taken for what the message says.
func (d *directory) place(ctx context.Context, id, guild string) (bot.Thread, wire.Channel, error) {
	if guild == "" {
		if c, ok := d.known(id); ok && c.GuildID != "" {
			guild = c.GuildID
		}
	}
	c, err := d.channel(ctx, id)
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
	t := bot.Thread{Platform: platform, Team: guild, Channel: id}
	switch {
	case guild == "" || c.IsDirect():
		t.Team, t.Direct = teamDirect, c.Type != wire.ChannelGroupDM
	case c.IsThread():
		t.Channel, t.ID = cmp.Or(c.ParentID, id), id
	}
	return t, c, nil
}

// channel returns a channel, asking the API for one that is not known.
func (d *directory) channel(ctx context.Context, id string) (wire.Channel, error) {
	if c, ok := d.known(id); ok {
		return c, nil
	}
	var c wire.Channel
	err := d.api.Do(ctx, rest.Call{Method: http.MethodGet, Path: "/channels/" + id, Bucket: "channel/" + id, Out: &c, Again: true, Urgent: true})
	if err != nil {
		return wire.Channel{}, err
	}
	d.setChannel(c)
	return c, nil
}

// messages reads one page of a channel, oldest first.
func (d *directory) messages(ctx context.Context, channel string, q url.Values) ([]wire.Message, error) {
	var page []wire.Message
	err := d.api.Do(ctx, rest.Call{
		Method: http.MethodGet, Path: "/channels/" + channel + "/messages?" + q.Encode(),
		Bucket: "messages/" + channel, Out: &page, Again: true, Urgent: true,
	})
	slices.SortFunc(page, func(x, y wire.Message) int { return wire.CompareIDs(x.ID, y.ID) })
	return page, err
}

// isThread reports whether id is a thread. A message from which none was made
// has no channel of its id.
func (d *directory) isThread(ctx context.Context, id string) (bool, error) {
	fresh, _ := d.questions.Get(id)
	if c, ok := d.known(id); ok {
		return c.IsThread(), nil
	}
	if fresh {
		return false, nil
	}
	c, err := d.channel(ctx, id)
	if rest.StatusOf(err) == http.StatusNotFound || rest.StatusOf(err) == http.StatusForbidden {
		return false, nil
	}
	return c.IsThread(), err
}

// whereIs is the channel in which a message of a conversation stands.
func (d *directory) whereIs(t bot.Thread, message string) string {
	if t.ID == "" || t.Direct || t.Team == teamDirect {
		return t.Channel
	}
	if message == t.ID && !d.inForum(t) {
		return t.Channel // the question that the thread was made from
	}
	if c, ok := d.known(t.ID); ok && c.IsThread() || !d.inChannel {
		return t.ID
	}
	return t.Channel
}

// inForum reports whether a conversation is a forum's post.
func (d *directory) inForum(t bot.Thread) bool {
	parent, ok := d.known(t.Channel)
	return ok && parent.IsForum()
}
