package discord

import (
	"context"
	"mime"
	"strings"
	"time"

	"maru/bot"
	"maru/phrase"
)

// platform is the adapter's name.
const platform = "discord"

// teamDirect is the team of direct messages.
const teamDirect = "dm"

// inboundMessage turns a message into what the bot reads; ok is false for what
// is none of its business: its own messages, other bots', and those that
// Discord wrote.
func (a *Adapter) inboundMessage(ctx context.Context, m *message) (msg bot.Message, ok bool, err error) {
	if !fromPerson(m) || m.Author.ID == a.self() {
		return bot.Message{}, false, nil
	}
	at, c, err := a.place(ctx, m.ChannelID, m.GuildID)
	if err != nil {
		return bot.Message{}, false, err
	}
	guild := ""
	if !at.Direct {
		guild = at.Team
	}
	msg = bot.Message{
		ID: m.ID, Order: m.ID, Thread: at, User: a.person(guild, m.Author, m.Member),
		Text: a.plainText(m, guild), Files: m.files(), At: m.Timestamp, Delivery: m.ID,
	}
	if msg.At.IsZero() {
		msg.At = idTime(m.ID)
	}
	a.prove(at, m.Author, m.Member, m.ID)
	mentioned := a.mentions(m, guild)
	switch {
	case at.Direct:
		msg.Reach = bot.ReachDirect
	case mentioned:
		msg.Reach = bot.ReachMention
	case c.isThread():
		msg.Reach = bot.ReachFollow
	default:
		msg.Reach = bot.ReachAmbient
	}
	msg.Quoted = a.quoted(m, guild)
	if !at.Direct && !c.isThread() {
		a.root(&msg, m)
	}
	if a.hidden(m, msg.Reach) {
		a.hint(ctx, c)
		return bot.Message{}, false, nil
	}
	return msg, true, nil
}

// quoted returns the message of somebody else to which one replies.
func (a *Adapter) quoted(m *message, guild string) []bot.Quote {
	ref := m.Referenced
	if m.Type != typeReply || ref == nil || ref.Author == nil || ref.Author.ID == a.self() {
		return nil
	}
	q := bot.Quote{Author: a.person(guild, ref.Author, ref.Member).Name, Text: a.plainText(ref, guild), Files: ref.files(), At: ref.Timestamp}
	if q.Text == "" && len(q.Files) == 0 {
		return nil
	}
	return []bot.Quote{q}
}

// hidden reports whether Discord keeps to itself what a message says.
func (a *Adapter) hidden(m *message, reach bot.Reach) bool {
	return a.limited() && (reach == bot.ReachFollow || reach == bot.ReachAmbient) && m.Content == "" && len(m.Attachments) == 0
}

// hint tells people in a thread that the bot made, once, why it does not answer.
func (a *Adapter) hint(ctx context.Context, c channel) {
	if !c.isThread() || c.OwnerID != a.self() {
		return
	}
	a.mu.Lock()
	_, told := a.hinted.Get(c.ID)
	a.hinted.Add(c.ID, true)
	a.mu.Unlock()
	if told {
		return
	}
	a.spawn(ctx, func(ctx context.Context) {
		me := "@" + first(a.name(), "Maru")
		// Nobody is asked yet whose language it would be.
		var said []string
		for _, lang := range phrase.Languages() {
			said = append(said, phrase.Say(lang, "discord.mentions_only", me))
		}
		p := part{content: "-# " + escape(strings.Join(said, " · "))}
		if _, err := a.send(ctx, spot{channel: c.ID}, p, nonceOf("hint "+c.ID, 0)); err != nil {
			a.log.WarnContext(ctx, "discord hint not posted", "channel", c.ID, "err", err)
		}
	})
}

func fromPerson(m *message) bool {
	return m.ID != "" && m.Author != nil && !m.Author.Bot && !m.Author.System && m.WebhookID == "" &&
		(m.Type == typeDefault || m.Type == typeReply)
}

// place returns the conversation that a channel's messages belong to. For a
// guild's channel its ID is still empty. A channel that cannot be asked for is
// taken for what the message says.
func (a *Adapter) place(ctx context.Context, id, guild string) (bot.Thread, channel, error) {
	if guild == "" {
		if c, ok := a.places.known(id); ok && c.GuildID != "" {
			guild = c.GuildID
		}
	}
	c, err := a.channel(ctx, id)
	switch {
	case err == nil:
	case guild == "" && statusOf(err) != 0:
		c = channel{ID: id, Type: channelDM} // an event without a guild is a direct message
	case statusOf(err) >= 400 && statusOf(err) < 500 && statusOf(err) != 429:
		c = channel{ID: id, GuildID: guild}
	default:
		return bot.Thread{}, channel{}, err
	}
	guild = first(guild, c.GuildID)
	t := bot.Thread{Platform: platform, Team: guild, Channel: id}
	switch {
	case guild == "" || c.isDirect():
		t.Team, t.Direct = teamDirect, c.Type != channelGroupDM
	case c.isThread():
		t.Channel, t.ID = first(c.ParentID, id), id
	}
	return t, c, nil
}

// root finds the conversation of a message in a guild's channel. With answers in
// threads each message begins one, named after it, unless it replies to one of
// the bot's messages that stands in the channel. With answers in the channel
// the channel is one conversation.
func (a *Adapter) root(msg *bot.Message, m *message) {
	msg.ReplyTo, msg.Top = m.ID, true
	if a.cfg.ChannelAnswers {
		return
	}
	msg.Thread.ID = m.ID
	a.places.revive(m.ID)
	if ref := m.Referenced; ref != nil && ref.Author != nil && ref.Author.ID == a.self() && ref.ChannelID == m.ChannelID {
		if root := a.rootOf(ref); root != "" {
			msg.Thread.ID = root
			return
		}
	}
	a.noteQuestion(m.ID)
}

// rootOf returns the conversation that one of the bot's messages belongs to.
func (a *Adapter) rootOf(own *message) string {
	a.mu.Lock()
	root, ok := a.roots.Get(own.ID)
	a.mu.Unlock()
	if ok {
		return root
	}
	if own.Reference != nil && own.Reference.ChannelID == own.ChannelID {
		return own.Reference.MessageID
	}
	return ""
}

// person returns who wrote something, as Discord verified them.
func (a *Adapter) person(guild string, u *user, m *member) bot.User {
	if u == nil && m != nil {
		u = m.User
	}
	if u == nil {
		return bot.User{}
	}
	out := bot.User{ID: u.ID, Name: u.name(), Bot: u.Bot}
	if m != nil {
		out.Name, out.Roles = first(m.Nick, out.Name), m.Roles
	}
	out.Admin = guild != "" && a.places.isAdmin(guild, u.ID, m)
	return out
}

func files(as []attachment) []bot.File {
	var out []bot.File
	for _, f := range as {
		kind, _, err := mime.ParseMediaType(f.ContentType)
		if err != nil {
			kind = ""
		}
		out = append(out, bot.File{ID: f.ID, Name: f.Filename, MIME: kind, Size: f.Size, URL: f.URL})
	}
	return out
}

// changed turns an edit into what the bot reads; ok is false when nothing that a
// person wrote has changed, as when Discord adds a preview.
func (a *Adapter) changed(ctx context.Context, m *message) (bot.Change, bool, error) {
	if m.Edited == nil || !fromPerson(m) || m.Author.ID == a.self() {
		return bot.Change{}, false, nil
	}
	msg, ok, err := a.inboundMessage(ctx, m)
	if err != nil || !ok {
		return bot.Change{}, false, err
	}
	return bot.Change{Thread: msg.Thread, Message: m.ID, Text: msg.Text, User: msg.User, At: *m.Edited}, true, nil
}

// removed is the change that a deletion is.
func (a *Adapter) removed(ctx context.Context, id, channelID, guild string, at time.Time) (bot.Change, error) {
	t, c, err := a.place(ctx, channelID, guild)
	if err != nil {
		return bot.Change{}, err
	}
	if !t.Direct && !c.isThread() && !a.cfg.ChannelAnswers {
		t.ID = id
	}
	return bot.Change{Thread: t, Message: id, Deleted: true, At: at}, nil
}
