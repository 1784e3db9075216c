package place

import (
	"cmp"

	"maru/adapters/discord/wire"
	"maru/bot"
)

// NoteQuestion records a message without a thread.
func (d *Directory) NoteQuestion(id string) { d.questions.Add(id, true) }

// NoteRoot records the conversation of one of the bot's messages in a channel.
func (d *Directory) NoteRoot(message, root string) { d.roots.Add(message, root) }

// NoteThread records a thread started from a message.
func (d *Directory) NoteThread(c wire.Channel) {
	d.questions.Remove(c.ID)
	d.SetChannel(c)
}

// Begin resolves the conversation of a message in a guild's channel. With answers in threads
// each message starts one with its ID, unless it replies to one of the bot's messages in the
// channel. With answers in the channel the channel is one conversation.
func (d *Directory) Begin(msg *bot.Message, m *wire.Message) {
	msg.ReplyTo, msg.Top = m.ID, true
	if d.inChannel {
		return
	}
	msg.Thread.ID = m.ID
	d.revive(m.ID)
	if ref := m.Referenced; ref != nil && ref.Author != nil && ref.Author.ID == d.me.ID() && ref.ChannelID == m.ChannelID {
		if root := d.RootOf(ref); root != "" {
			msg.Thread.ID = root
			return
		}
	}
	d.NoteQuestion(m.ID)
}

// BeginAbout resolves the conversation of a question about a message, which may be one of the
// bot's own.
func (d *Directory) BeginAbout(msg *bot.Message, m *wire.Message) {
	d.Begin(msg, m)
	if m.Author != nil && m.Author.ID == d.me.ID() {
		msg.Thread.ID = cmp.Or(d.RootOf(m), msg.Thread.ID)
	}
}

// RootOf returns the conversation of one of the bot's messages.
func (d *Directory) RootOf(own *wire.Message) string {
	root, ok := d.roots.Get(own.ID)
	if ok {
		return root
	}
	if own.Reference != nil && own.Reference.ChannelID == own.ChannelID {
		return own.Reference.MessageID
	}
	return ""
}
