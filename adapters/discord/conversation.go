package discord

import (
	"cmp"

	"maru/adapters/discord/wire"
	"maru/bot"
)

// noteQuestion notes a message from which no thread was made yet.
func (d *directory) noteQuestion(id string) { d.questions.Add(id, true) }

// noteRoot notes to which conversation one of the bot's messages in a channel belongs.
func (d *directory) noteRoot(message, root string) { d.roots.Add(message, root) }

// noteThread takes over that a thread was made from a message.
func (d *directory) noteThread(c wire.Channel) {
	d.questions.Remove(c.ID)
	d.setChannel(c)
}

// begin finds the conversation of a message in a guild's channel. With answers in
// threads each message begins one, named after it, unless it replies to one of
// the bot's messages that stands in the channel. With answers in the channel
// the channel is one conversation.
func (d *directory) begin(msg *bot.Message, m *wire.Message) {
	msg.ReplyTo, msg.Top = m.ID, true
	if d.inChannel {
		return
	}
	msg.Thread.ID = m.ID
	d.revive(m.ID)
	if ref := m.Referenced; ref != nil && ref.Author != nil && ref.Author.ID == d.me.ID() && ref.ChannelID == m.ChannelID {
		if root := d.rootOf(ref); root != "" {
			msg.Thread.ID = root
			return
		}
	}
	d.noteQuestion(m.ID)
}

// beginAbout finds the conversation of a question about a message, which may be one
// of the bot's own.
func (d *directory) beginAbout(msg *bot.Message, m *wire.Message) {
	d.begin(msg, m)
	if m.Author != nil && m.Author.ID == d.me.ID() {
		msg.Thread.ID = cmp.Or(d.rootOf(m), msg.Thread.ID)
	}
}

// rootOf returns the conversation that one of the bot's messages belongs to.
func (d *directory) rootOf(own *wire.Message) string {
	root, ok := d.roots.Get(own.ID)
	if ok {
		return root
	}
	if own.Reference != nil && own.Reference.ChannelID == own.ChannelID {
		return own.Reference.MessageID
	}
	return ""
}
