package discord

import (
	"cmp"
	"encoding/json"
	"mime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"maru/bot"
)

// The parts of Discord's objects that the adapter reads. They are its own and
// not discordgo's, whose decoding fails on components newer than itself and
// loses the whole event.

type user struct {
	ID         string `json:"id"`
	Username   string `json:"username"`
	GlobalName string `json:"global_name"`
	Bot        bool   `json:"bot"`
	System     bool   `json:"system"`
}

func (u user) name() string { return cmp.Or(u.GlobalName, u.Username) }

type member struct {
	User        *user    `json:"user"`
	Nick        string   `json:"nick"`
	Roles       []string `json:"roles"`
	Permissions string   `json:"permissions"` // in interactions only
}

type mention struct {
	user
	Member *member `json:"member"`
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

type message struct {
	ID           string       `json:"id"`
	ChannelID    string       `json:"channel_id"`
	GuildID      string       `json:"guild_id"`
	Type         int          `json:"type"`
	Author       *user        `json:"author"`
	Member       *member      `json:"member"`
	WebhookID    string       `json:"webhook_id"`
	Content      string       `json:"content"`
	Timestamp    time.Time    `json:"timestamp"`
	Edited       *time.Time   `json:"edited_timestamp"`
	Mentions     []mention    `json:"mentions"`
	MentionRoles []string     `json:"mention_roles"`
	Attachments  []attachment `json:"attachments"`
	Reference    *reference   `json:"message_reference"`
	Referenced   *message     `json:"referenced_message"`
	Flags        int          `json:"flags"`
	Components   shownText    `json:"components"`
	Snapshots    []snapshot   `json:"message_snapshots"` // of what was forwarded
	Started      *channel     `json:"thread"`            // the thread that was made from the message
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

// text is what the message says, in whatever form it was sent.
func (m *message) text() string {
	said := cmp.Or(m.Content, string(m.Components))
	for _, s := range m.Snapshots {
		said = cmp.Or(said, s.Message.Content, string(s.Message.Components))
	}
	return said
}

// files are what came with the message.
func (m *message) files() []bot.File {
	all := m.Attachments
	for _, s := range m.Snapshots {
		all = append(slices.Clip(all), s.Message.Attachments...)
	}
	return files(all)
}

// sizes are those of a message's files, in bytes.
func (m *message) sizes() []int64 {
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
		if c.Type == typeText && c.Content != "" {
			out = append(out, c.Content)
		}
		out = append(out, displays(c.Components, depth+1)...)
	}
	return out
}

// The types of messages that people write.
const (
	typeDefault = 0
	typeReply   = 19
)

type channel struct {
	ID            string          `json:"id"`
	Type          int             `json:"type"`
	GuildID       string          `json:"guild_id"`
	ParentID      string          `json:"parent_id"`
	OwnerID       string          `json:"owner_id"` // of a thread: who made it
	Name          string          `json:"name"`
	LastMessageID string          `json:"last_message_id"`
	Thread        *threadMetadata `json:"thread_metadata"`
	Overwrites    []overwrite     `json:"permission_overwrites"`
}

// overwrite is what a channel takes from and gives to a role or a member.
type overwrite struct {
	ID    string `json:"id"`
	Allow string `json:"allow"`
	Deny  string `json:"deny"`
}

type threadMetadata struct {
	Archived bool `json:"archived"`
	Locked   bool `json:"locked"`
}

// The types of channels that matter.
const (
	channelDM      = int(discordgo.ChannelTypeDM)
	channelGroupDM = int(discordgo.ChannelTypeGroupDM)
	channelVoice   = int(discordgo.ChannelTypeGuildVoice)
	channelStage   = int(discordgo.ChannelTypeGuildStageVoice)
	channelForum   = int(discordgo.ChannelTypeGuildForum)
	channelMedia   = int(discordgo.ChannelTypeGuildMedia)
)

// isThread reports whether messages in the channel belong to a thread.
func (c channel) isThread() bool { return c.Type >= 10 && c.Type <= 12 }

// isForum reports whether every conversation in the channel is a post: a thread
// whose first message stands in itself.
func (c channel) isForum() bool { return c.Type == channelForum || c.Type == channelMedia }

func (c channel) isDirect() bool { return c.Type == channelDM || c.Type == channelGroupDM }

type role struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Permissions string `json:"permissions"`
	Tags        struct {
		BotID string `json:"bot_id"`
	} `json:"tags"`
}

type guild struct {
	ID              string    `json:"id"`
	Name            string    `json:"name"`
	OwnerID         string    `json:"owner_id"`
	SystemChannelID string    `json:"system_channel_id"`
	PreferredLocale string    `json:"preferred_locale"`
	JoinedAt        string    `json:"joined_at"` // when the bot was taken in
	Unavailable     bool      `json:"unavailable"`
	Roles           []role    `json:"roles"`
	Channels        []channel `json:"channels"`
	Threads         []channel `json:"threads"`
}

type ready struct {
	User      user   `json:"user"`
	SessionID string `json:"session_id"`
	ResumeURL string `json:"resume_gateway_url"`
	Guilds    []struct {
		ID string `json:"id"`
	} `json:"guilds"`
	Application struct {
		ID string `json:"id"`
	} `json:"application"`
}

type interaction struct {
	ID            string          `json:"id"`
	ApplicationID string          `json:"application_id"`
	Type          int             `json:"type"`
	Token         string          `json:"token"`
	GuildID       string          `json:"guild_id"`
	ChannelID     string          `json:"channel_id"`
	Channel       *channel        `json:"channel"`
	Member        *member         `json:"member"`
	User          *user           `json:"user"`
	Locale        string          `json:"locale"`
	Message       *message        `json:"message"`
	Data          interactionData `json:"data"`
}

// complete reports whether an interaction has what every one has.
func (i *interaction) complete() bool {
	return idNumber(i.ID) > 0 && i.Token != "" && idNumber(i.ChannelID) > 0
}

// The types of interactions.
const (
	interactionPing         = 1
	interactionCommand      = 2
	interactionComponent    = 3
	interactionAutocomplete = 4
	interactionModal        = 5
)

type interactionData struct {
	Name       string          `json:"name"`
	Type       int             `json:"type"`
	Options    []commandOption `json:"options"`
	CustomID   string          `json:"custom_id"`
	Values     []string        `json:"values"`
	Components json.RawMessage `json:"components"`
	TargetID   string          `json:"target_id"` // of a menu: the message
	Resolved   json.RawMessage `json:"resolved"`
}

type commandOption struct {
	Name    string          `json:"name"`
	Type    int             `json:"type"`
	Value   json.RawMessage `json:"value"`
	Focused bool            `json:"focused"`
	Options []commandOption `json:"options"`
}

// text is the option's value as a person wrote it.
func (o commandOption) text() string {
	var s string
	if json.Unmarshal(o.Value, &s) == nil {
		return s
	}
	return string(o.Value)
}

// epoch is where Discord's ids begin to count, in milliseconds.
const epoch = 1420070400000

// snowflake returns the smallest id that Discord makes at t.
func snowflake(t time.Time) uint64 {
	ms := t.UnixMilli() - epoch
	if ms < 0 {
		return 0
	}
	return uint64(ms) << 22 //nolint:gosec // G115: not negative
}

// idTime is when Discord made an id; zero if it is none.
func idTime(id string) time.Time {
	n := idNumber(id)
	if n == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(n>>22) + epoch).UTC() //nolint:gosec // G115: 42 bits
}

func idNumber(id string) uint64 {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return 0
	}
	return n
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
