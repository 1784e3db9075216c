package wire

import (
	"cmp"
	"mime"
	"path"
	"slices"
	"strings"
	"time"

	"maru/bot"
	"maru/bot/content"
)

// User is an account.
type User struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	GlobalName string `json:"global_name"`
	Bot        bool   `json:"bot"`
	System     bool   `json:"system"`
}

// Name returns the account's display name outside a guild.
func (u User) Name() string { return cmp.Or(u.GlobalName, u.Username) }

// Member is an account in a guild.
type Member struct {
	User        *User    `json:"user"`
	Nick        string   `json:"nick"`
	Roles       []string `json:"roles"`
	Permissions string   `json:"permissions"` // in interactions only
	Flags       int      `json:"flags"`
}

// memberGuest is the flag of members who were invited to one voice channel only.
const memberGuest = 1 << 4

// Guest reports whether a person is a guest; unknown without m.
func (m *Member) Guest() bool { return m != nil && m.Flags&memberGuest != 0 }

type mention struct {
	User
	Member *Member `json:"member"`
}

type attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	Title       string `json:"title"`       // the file's own name without its extension, where Discord has changed letters of it
	Description string `json:"description"` // in the sender's words, of a picture
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	URL         string `json:"url"`
}

// name returns the name that the sender gave the file.
func (a attachment) name() string {
	if ext := path.Ext(a.Filename); a.Title != "" && !strings.HasSuffix(a.Title, ext) {
		return a.Title + ext
	}
	return cmp.Or(a.Title, a.Filename)
}

// referenceForward is the type of a reference to the message that this one forwards.
const referenceForward = 1

type reference struct {
	Type      int    `json:"type,omitempty"`
	MessageID string `json:"message_id,omitempty"`
	ChannelID string `json:"channel_id,omitempty"`
	GuildID   string `json:"guild_id,omitempty"`
}

// Message is a message of the gateway or API.
type Message struct {
	ID            string       `json:"id"`
	ChannelID     string       `json:"channel_id"`
	GuildID       string       `json:"guild_id"`
	Type          int          `json:"type"`
	Author        *User        `json:"author"`
	Member        *Member      `json:"member"`
	WebhookID     string       `json:"webhook_id"`
	ApplicationID string       `json:"application_id"` // of the app that wrote it, if it is one's
	Content       string       `json:"content"`
	Timestamp     time.Time    `json:"timestamp"`
	Edited        *time.Time   `json:"edited_timestamp"`
	Mentions      []mention    `json:"mentions"`
	MentionRoles  []string     `json:"mention_roles"`
	Attachments   []attachment `json:"attachments"`
	Reference     *reference   `json:"message_reference"`
	Referenced    *Message     `json:"referenced_message"`
	Flags         int          `json:"flags"`
	Components    shown        `json:"components"`
	Embeds        []embed      `json:"embeds"`
	Poll          *poll        `json:"poll"`
	Stickers      []sticker    `json:"sticker_items"`
	Snapshots     []snapshot   `json:"message_snapshots"` // forwarded messages
	Started       *Channel     `json:"thread"`            // the thread started from the message
}

// snapshot is a forwarded message, without its author. A forward has no other text.
type snapshot struct {
	Message struct {
		Content     string       `json:"content"`
		Mentions    []mention    `json:"mentions"`
		Attachments []attachment `json:"attachments"`
		Components  shown        `json:"components"`
		Embeds      []embed      `json:"embeds"`
		Poll        *poll        `json:"poll"`
		Stickers    []sticker    `json:"sticker_items"`
	} `json:"message"`
}

// Text returns everything that the message says, whatever its form, without the buttons below it.
func (m *Message) Text() string {
	previews := m.Author != nil && !m.ByApp() && (m.Type == MessageDefault || m.Type == MessageReply)
	own := slices.DeleteFunc(slices.Clone(m.Embeds), func(e embed) bool { return previews && e.Type == embedRich })
	said := content.Beside(cmp.Or(m.Content, m.Components.words()), parts(own, m.Poll, m.Stickers)...)
	for _, s := range m.Snapshots {
		one := s.Message // whose author is not known
		own := slices.DeleteFunc(slices.Clone(one.Embeds), func(e embed) bool { return e.Type == embedRich && e.URL != "" && strings.Contains(one.Content, e.URL) })
		said = content.Beside(said, content.Part{
			Kind: content.Text, Text: content.Beside(cmp.Or(one.Content, one.Components.words()), parts(own, one.Poll, one.Stickers)...),
		})
	}
	if m.Reference != nil && m.Reference.Type == referenceForward && len(m.Snapshots) == 0 { // the original is gone
		said = content.Beside(said, content.Unreadable("forwarded message", ""))
	}
	return said
}

// Named returns the accounts that the message and those that it forwards mention.
func (m *Message) Named() []mention {
	all := slices.Clip(m.Mentions)
	for _, s := range m.Snapshots {
		all = append(all, s.Message.Mentions...)
	}
	return all
}

// Foreign reports whether the message forwards one that was not written in a guild.
func (m *Message) Foreign(guild string) bool {
	return m.Reference != nil && m.Reference.Type == referenceForward && m.Reference.GuildID != guild
}

// Quoted returns everything that a message says to which another replies. One of Discord itself, such as the note that
// somebody joined, is named where it has no words.
func (m *Message) Quoted() string {
	said := m.Text()
	if kind := notices[m.Type]; said == "" && kind != "" {
		return "[" + kind + "]"
	}
	return content.Beside(said, m.described(said)...)
}

// notices are Discord's own messages without words, which its client writes out. See
// https://docs.discord.com/developers/resources/message#message-object-message-types.
var notices = map[int]string{
	1: "added somebody to the group", 2: "removed somebody from the group", 3: "call", 4: "renamed the channel", 5: "changed the channel's picture",
	6: "pinned a message", 7: "joined the server", 8: "boosted the server", 9: "boosted the server to level 1", 10: "boosted the server to level 2",
	11: "boosted the server to level 3", 12: "followed a channel", 25: "subscribed to a role", 27: "began a stage", 28: "ended a stage",
	29: "speaks on a stage", 31: "changed the topic of a stage", 36: "switched on the server's security measures",
	37: "switched off the server's security measures", 38: "reported a raid", 39: "reported a false alarm", 44: "bought something",
}

// Said returns everything that the message of another says: its text, the descriptions of its pictures, its buttons.
func (m *Message) Said() string {
	said := m.Text()
	if said == "" {
		return "" // a file alone
	}
	return content.Beside(said, m.described(said)...)
}

// described returns the descriptions of a message's pictures and the labels of its buttons, also of one that it forwards.
func (m *Message) described(said string) []content.Part {
	beside := described(said, m.Attachments, &m.Components)
	for _, s := range m.Snapshots {
		beside = append(beside, described(said, s.Message.Attachments, &s.Message.Components)...)
	}
	return beside
}

// described reads the descriptions of pictures, what menus offer and the labels of buttons, as far as they are not said already.
func described(said string, files []attachment, c *shown) []content.Part {
	var out []content.Part
	for _, f := range files {
		if f.Description != "" {
			out = append(out, content.Part{Kind: content.Picture, Text: f.name() + ": " + f.Description})
		}
	}
	if more := strings.Join(c.text, "\n"); more != "" && !strings.Contains(said, more) {
		out = append(out, content.Part{Kind: content.Text, Text: more})
	}
	if len(c.controls) > 0 && !strings.Contains(said, strings.Join(c.controls, "\n")) {
		out = append(out, content.Part{Kind: content.Text, Text: strings.Join(c.controls, " ")})
	}
	return out
}

// ByApp reports whether a program wrote the message.
func (m *Message) ByApp() bool { return m.WebhookID != "" || m.Author != nil && m.Author.Bot }

// Files returns the message's attachments.
func (m *Message) Files() []bot.File {
	all := m.Attachments
	for _, s := range m.Snapshots {
		all = append(slices.Clip(all), s.Message.Attachments...)
	}
	return files(all)
}

// Sizes returns the sizes of a message's files, in bytes.
func (m *Message) Sizes() []int64 {
	var out []int64
	for _, f := range m.Attachments {
		out = append(out, f.Size)
	}
	return out
}

// Types of messages that people write.
const (
	MessageDefault = 0
	MessageReply   = 19
)

func files(as []attachment) []bot.File {
	var out []bot.File
	for _, f := range as {
		kind, _, err := mime.ParseMediaType(f.ContentType)
		if err != nil {
			kind = ""
		}
		out = append(out, bot.File{ID: f.ID, Name: f.name(), MIME: kind, Size: f.Size, Empty: f.Size == 0, URL: f.URL})
	}
	return out
}
