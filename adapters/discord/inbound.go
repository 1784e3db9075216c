package discord

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"maru/adapters/discord/account"
	"maru/adapters/discord/cache"
	"maru/adapters/discord/outbound"
	"maru/adapters/discord/place"
	"maru/adapters/discord/render"
	"maru/adapters/discord/rest"
	"maru/adapters/discord/task"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase"
)

// reader turns what people write into what the bot reads: messages, edits, what was
// said before, and what a link leads to.
type reader struct {
	api       *rest.Client
	me        *account.Account
	dir       *place.Directory
	tasks     *task.Group
	out       *outbound.Sender // tells people why they get no answer
	inChannel bool             // answers stand in the channel of the question
	log       *slog.Logger

	hinted *lru.Cache[string, bool] // threads in which people were told what cannot be read
}

func newReader(api *rest.Client, me *account.Account, dir *place.Directory, tasks *task.Group, out *outbound.Sender, cfg Config) *reader {
	return &reader{
		api: api, me: me, dir: dir, tasks: tasks, out: out, inChannel: cfg.ChannelAnswers, log: cfg.Logger, hinted: cache.New[bool](4096),
	}
}

// inboundMessage turns a message into what the bot reads; ok is false for what
// is none of its business: its own messages, other bots', and those that
// Discord wrote.
func (rd *reader) inboundMessage(ctx context.Context, m *wire.Message) (msg bot.Message, ok bool, err error) {
	if !fromPerson(m) || m.Author.ID == rd.me.ID() {
		return bot.Message{}, false, nil
	}
	at, c, err := rd.dir.Conversation(ctx, m.ChannelID, m.GuildID)
	if err != nil {
		return bot.Message{}, false, err
	}
	guild := ""
	if !at.Direct {
		guild = at.Team
	}
	msg = bot.Message{
		ID: m.ID, Order: m.ID, Thread: at, User: rd.dir.User(guild, m.Author, m.Member),
		Text: rd.plainText(m, guild), Files: m.Files(), At: m.Timestamp, Delivery: m.ID,
	}
	if msg.At.IsZero() {
		msg.At = wire.IDTime(m.ID)
	}
	rd.dir.Prove(at, m.Author, m.Member, m.ID)
	mentioned := rd.mentions(m, guild)
	switch {
	case at.Direct:
		msg.Reach = bot.ReachDirect
	case mentioned:
		msg.Reach = bot.ReachMention
	case c.IsThread():
		msg.Reach = bot.ReachFollow
	default:
		msg.Reach = bot.ReachAmbient
	}
	msg.Quoted = rd.quoted(m, guild)
	if !at.Direct && !c.IsThread() {
		rd.dir.Begin(&msg, m)
	}
	if rd.hidden(m, msg.Reach) {
		rd.hint(ctx, c)
		return bot.Message{}, false, nil
	}
	return msg, true, nil
}

// quoted returns the message of somebody else to which one replies.
func (rd *reader) quoted(m *wire.Message, guild string) []bot.Quote {
	ref := m.Referenced
	if m.Type != wire.MessageReply || ref == nil || ref.Author == nil || ref.Author.ID == rd.me.ID() {
		return nil
	}
	q := bot.Quote{Author: rd.dir.User(guild, ref.Author, ref.Member).Name, Text: rd.plainText(ref, guild), Files: ref.Files(), At: ref.Timestamp}
	if q.Text == "" && len(q.Files) == 0 {
		return nil
	}
	return []bot.Quote{q}
}

// hidden reports whether Discord keeps to itself what a message says.
func (rd *reader) hidden(m *wire.Message, reach bot.Reach) bool {
	return rd.me.Limited() && (reach == bot.ReachFollow || reach == bot.ReachAmbient) && m.Content == "" && len(m.Attachments) == 0
}

// hint tells people in a thread that the bot made, once, why it does not answer.
func (rd *reader) hint(ctx context.Context, c wire.Channel) {
	if !c.IsThread() || c.OwnerID != rd.me.ID() {
		return
	}
	if told, _ := rd.hinted.ContainsOrAdd(c.ID, true); told {
		return
	}
	rd.tasks.Spawn(ctx, func(ctx context.Context) {
		me := "@" + cmp.Or(rd.me.Name(), "Maru")
		// Nobody is asked yet whose language it would be.
		var said []string
		for _, lang := range phrase.Languages() {
			said = append(said, phrase.Say(lang, "discord.mentions_only", me))
		}
		if err := rd.out.Tell(ctx, c.ID, "-# "+render.Escape(strings.Join(said, " · ")), "hint "+c.ID); err != nil {
			rd.log.WarnContext(ctx, "discord hint not posted", "channel", c.ID, "err", err)
		}
	})
}

func fromPerson(m *wire.Message) bool {
	return m.ID != "" && m.Author != nil && !m.Author.Bot && !m.Author.System && m.WebhookID == "" &&
		(m.Type == wire.MessageDefault || m.Type == wire.MessageReply)
}

// changed turns an edit into what the bot reads; ok is false when nothing that a
// person wrote has changed, as when Discord adds a preview.
func (rd *reader) changed(ctx context.Context, m *wire.Message) (bot.Change, bool, error) {
	if m.Edited == nil || !fromPerson(m) || m.Author.ID == rd.me.ID() {
		return bot.Change{}, false, nil
	}
	msg, ok, err := rd.inboundMessage(ctx, m)
	if err != nil || !ok {
		return bot.Change{}, false, err
	}
	return bot.Change{Thread: msg.Thread, Message: m.ID, Text: msg.Text, User: msg.User, At: *m.Edited}, true, nil
}

// removed is the change that a deletion is.
func (rd *reader) removed(ctx context.Context, id, channelID, guild string, at time.Time) (bot.Change, error) {
	t, c, err := rd.dir.Conversation(ctx, channelID, guild)
	if err != nil {
		return bot.Change{}, err
	}
	if !t.Direct && !c.IsThread() && !rd.inChannel {
		t.ID = id
	}
	return bot.Change{Thread: t, Message: id, Deleted: true, At: at}, nil
}
