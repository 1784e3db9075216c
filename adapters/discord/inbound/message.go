package inbound

import (
	"cmp"
	"context"
	"strings"
	"time"

	"maru/adapters/discord/render"
	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/bot/content"
	"maru/phrase"
)

// Message converts a message; ok is false for ignored ones: of the bot itself, other bots,
// and Discord.
func (r *Reader) Message(ctx context.Context, m *wire.Message) (msg bot.Message, ok bool, err error) {
	app := r.byApp(m)
	if !app && !fromPerson(m) || m.Author.ID == r.me.ID() {
		return bot.Message{}, false, nil
	}
	at, c, err := r.places.Conversation(ctx, m.ChannelID, m.GuildID)
	if err != nil {
		return bot.Message{}, false, err
	}
	guild := ""
	if !at.Direct {
		guild = at.Team
	}
	msg = bot.Message{
		ID: m.ID, Order: m.ID, Thread: at, User: r.members.User(guild, m.Author, m.Member),
		Text: r.PlainText(m, guild), Files: m.Files(), At: m.Timestamp, Delivery: m.ID,
		Channels: r.Channels(m.Content),
	}
	if msg.At.IsZero() {
		msg.At = wire.IDTime(m.ID)
	}
	mentioned := r.mentions(m, guild)
	if app {
		if at.Direct || !mentioned {
			return bot.Message{}, false, nil
		}
		msg.User = bot.User{ID: m.Author.ID, Name: r.author(m, guild), Bot: true}
	} else {
		r.members.Prove(at, m.Author, m.Member, m.ID)
	}
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
	msg.Text = r.titled(m, msg.Text)
	msg.Quoted = r.quoted(ctx, m, guild)
	if !at.Direct && !c.IsThread() {
		r.places.Begin(&msg, m)
	}
	if msg.Reach != bot.ReachAmbient {
		msg.Text, msg.Files = r.pasted(ctx, msg.Text, msg.Files)
	}
	if r.hidden(m, msg.Reach) {
		r.hint(ctx, c)
		return bot.Message{}, false, nil
	}
	return msg, true, nil
}

// quoted returns the message of another author that m replies to.
func (r *Reader) quoted(ctx context.Context, m *wire.Message, guild string) []bot.Quote {
	ref := m.Referenced
	if m.Type == wire.MessageReply && ref == nil && m.Reference != nil {
		return []bot.Quote{{Text: content.Words(content.Unreadable("message that this one replies to, deleted", ""))}}
	}
	if m.Type != wire.MessageReply || ref == nil || ref.Author == nil || ref.Author.ID == r.me.ID() {
		return nil
	}
	q := bot.Quote{Author: r.author(ref, guild), At: ref.Timestamp}
	q.Text, q.Files = r.pasted(ctx, r.plain(ref, guild, ref.Quoted()), ref.Files())
	if q.Text == "" && len(q.Files) == 0 {
		return nil
	}
	return []bot.Quote{q}
}

// titled prepends the title of a forum post to its first message, since it often contains the question.
func (r *Reader) titled(m *wire.Message, text string) string {
	c, ok := r.places.Known(m.ChannelID)
	if !ok || m.ID != m.ChannelID || c.Name == "" {
		return text
	}
	return content.Words(content.Part{Kind: content.Text, Text: c.Name}, content.Part{Kind: content.Text, Text: text})
}

// author returns the name of a message's author.
func (r *Reader) author(m *wire.Message, guild string) string {
	name := r.members.User(guild, m.Author, m.Member).Name
	if m.ByApp() {
		return content.App(name)
	}
	return name
}

// hidden reports whether Discord hides a message's content.
func (r *Reader) hidden(m *wire.Message, reach bot.Reach) bool {
	return r.me.Limited() && (reach == bot.ReachFollow || reach == bot.ReachAmbient) && m.Content == "" && len(m.Attachments) == 0
}

// hint explains once in a thread of the bot's why it does not answer.
func (r *Reader) hint(ctx context.Context, c wire.Channel) {
	if !c.IsThread() || c.OwnerID != r.me.ID() {
		return
	}
	if !r.hinted.AddNew(c.ID, true) {
		return
	}
	r.tasks.Spawn(ctx, func(ctx context.Context) {
		me := "@" + cmp.Or(r.me.Name(), "Maru")
		// The reader's language is unknown here: say it in all.
		var said []string
		for _, lang := range phrase.Languages() {
			said = append(said, phrase.Say(lang, "discord.mentions_only", me))
		}
		if err := r.teller.Tell(ctx, c.ID, "-# "+render.Escape(strings.Join(said, " · ")), "hint "+c.ID); err != nil {
			r.log.WarnContext(ctx, "discord hint not posted", "channel", c.ID, "err", err)
		}
	})
}

// byApp reports whether a message is of an app or webhook whose mentions are answered.
func (r *Reader) byApp(m *wire.Message) bool {
	return r.apps != nil && m.ID != "" && m.Author != nil && m.ByApp() && (r.apps(m.Author.ID) || r.apps(m.WebhookID) || r.apps(m.ApplicationID)) &&
		(m.Type == wire.MessageDefault || m.Type == wire.MessageReply)
}

func fromPerson(m *wire.Message) bool {
	return m.ID != "" && m.Author != nil && !m.Author.Bot && !m.Author.System && m.WebhookID == "" &&
		(m.Type == wire.MessageDefault || m.Type == wire.MessageReply)
}

// Edit converts an edit; ok is false when the person's text is unchanged, as when Discord
// adds a preview.
func (r *Reader) Edit(ctx context.Context, m *wire.Message) (bot.Change, bool, error) {
	if m.Edited == nil || !fromPerson(m) || m.Author.ID == r.me.ID() {
		return bot.Change{}, false, nil
	}
	msg, ok, err := r.Message(ctx, m)
	if err != nil || !ok {
		return bot.Change{}, false, err
	}
	return bot.Change{Thread: msg.Thread, Message: m.ID, Text: msg.Text, User: msg.User, At: *m.Edited, Files: msg.Files, Quoted: msg.Quoted, Channels: msg.Channels}, true, nil
}

// Deletion returns the change for a deletion.
func (r *Reader) Deletion(ctx context.Context, id, channelID, guild string, at time.Time) (bot.Change, error) {
	t, c, err := r.places.Conversation(ctx, channelID, guild)
	if err != nil {
		return bot.Change{}, err
	}
	if !t.Direct && !c.IsThread() && !r.inChannel {
		t.ID = id
	}
	return bot.Change{Thread: t, Message: id, Deleted: true, At: at}, nil
}
