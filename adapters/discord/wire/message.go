package wire

import (
	"cmp"
	"encoding/json"
	"mime"
	"slices"
	"strings"
	"time"

	"maru/bot"
)

// User is an account.
type User struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	GlobalName string `json:"global_name"`
	Bot        bool   `json:"bot"`
	System     bool   `json:"system"`
}

// Name is what people read as the account's name outside of a guild.
func (u User) Name() string { return cmp.Or(u.GlobalName, u.Username) }

// Member is an account in a guild.
type Member struct {
	User        *User    `json:"user"`
	Nick        string   `json:"nick"`
	Roles       []string `json:"roles"`
	Permissions string   `json:"permissions"` // in interactions only
}

type mention struct {
	User
	Member *Member `json:"member"`
}

type attachment struct {
	ID          string `json:"id"`
	Filename    string `json:"filename"`
	ContentType string `json:"content_type"`
	Size        int64  `json:"size"`
	URL         string `json:"url"`
}

type reference struct {
	Type      int    `json:"type,omitempty"`
	MessageID string `json:"message_id,omitempty"`
	ChannelID string `json:"channel_id,omitempty"`
	GuildID   string `json:"guild_id,omitempty"`
}

// Message is a message as the gateway and the API tell it.
type Message struct {
	ID           string       `json:"id"`
	ChannelID    string       `json:"channel_id"`
	GuildID      string       `json:"guild_id"`
	Type         int          `json:"type"`
	Author       *User        `json:"author"`
	Member       *Member      `json:"member"`
	WebhookID    string       `json:"webhook_id"`
	Content      string       `json:"content"`
	Timestamp    time.Time    `json:"timestamp"`
	Edited       *time.Time   `json:"edited_timestamp"`
	Mentions     []mention    `json:"mentions"`
	MentionRoles []string     `json:"mention_roles"`
	Attachments  []attachment `json:"attachments"`
	Reference    *reference   `json:"message_reference"`
	Referenced   *Message     `json:"referenced_message"`
	Flags        int          `json:"flags"`
	Components   shownText    `json:"components"`
	Snapshots    []snapshot   `json:"message_snapshots"` // of what was forwarded
	Started      *Channel     `json:"thread"`            // the thread that was made from the message
}

// snapshot is a message that somebody forwarded, without who wrote it. A forward
// says nothing besides.
type snapshot struct {
	Message struct {
		Content     string       `json:"content"`
		Attachments []attachment `json:"attachments"`
		Components  shownText    `json:"components"`
	} `json:"message"`
}

// Text is what the message says, in whatever form it was sent.
func (m *Message) Text() string {
	said := cmp.Or(m.Content, string(m.Components))
	for _, s := range m.Snapshots {
		said = cmp.Or(said, s.Message.Content, string(s.Message.Components))
	}
	return said
}

// Files are what came with the message.
func (m *Message) Files() []bot.File {
	all := m.Attachments
	for _, s := range m.Snapshots {
		all = append(slices.Clip(all), s.Message.Attachments...)
	}
	return files(all)
}

// Sizes are those of a message's files, in bytes.
func (m *Message) Sizes() []int64 {
	var out []int64
	for _, f := range m.Attachments {
		out = append(out, f.Size)
	}
	return out
}

// shownText is the text of a message's components. Whatever is not understood of
// them is passed over: an event must not be lost for it.
type shownText string

// UnmarshalJSON implements json.Unmarshaler; it never fails.
func (s *shownText) UnmarshalJSON(raw []byte) error {
	*s = shownText(strings.Join(displays(raw, 0), "\n"))
	return nil
}

// displays collects the contents of text displays, in any nesting.
func displays(raw json.RawMessage, depth int) []string {
	var list []json.RawMessage
	if depth > 4 || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []string
	for _, one := range list {
		var c struct {
			Type       int             `json:"type"`
			Content    string          `json:"content"`
			Components json.RawMessage `json:"components"`
		}
		if json.Unmarshal(one, &c) != nil {
			continue
		}
		if c.Type == KindText && c.Content != "" {
			out = append(out, c.Content)
		}
		out = append(out, displays(c.Components, depth+1)...)
	}
	return out
}

// The types of messages that people write.
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
		out = append(out, bot.File{ID: f.ID, Name: f.Filename, MIME: kind, Size: f.Size, URL: f.URL})
	}
	return out
}
