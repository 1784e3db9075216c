package wire

import (
	"encoding/json"

	"github.com/bwmarrin/discordgo"
)

// Channel is a channel, a thread or a direct conversation.
type Channel struct {
	ID            string          `json:"id"`
	Type          int             `json:"type"`
	GuildID       string          `json:"guild_id"`
	ParentID      string          `json:"parent_id"`
	OwnerID       string          `json:"owner_id"` // of a thread: its creator
	Name          string          `json:"name"`
	LastMessageID string          `json:"last_message_id"`
	Thread        *threadMetadata `json:"thread_metadata"`
	Overwrites    []Overwrite     `json:"permission_overwrites"`
}

// Overwrite is a channel's permission overwrite for a role or member.
type Overwrite struct {
	ID    string `json:"id"`
	Allow string `json:"allow"`
	Deny  string `json:"deny"`
}

type threadMetadata struct {
	Archived bool `json:"archived"`
	Locked   bool `json:"locked"`
}

// Channel types in use.
const (
	ChannelText          = int(discordgo.ChannelTypeGuildText)
	ChannelNews          = int(discordgo.ChannelTypeGuildNews)
	ChannelDM            = int(discordgo.ChannelTypeDM)
	ChannelGroupDM       = int(discordgo.ChannelTypeGroupDM)
	ChannelVoice         = int(discordgo.ChannelTypeGuildVoice)
	ChannelStage         = int(discordgo.ChannelTypeGuildStageVoice)
	channelForum         = int(discordgo.ChannelTypeGuildForum)
	channelMedia         = int(discordgo.ChannelTypeGuildMedia)
	ChannelPrivateThread = int(discordgo.ChannelTypeGuildPrivateThread)
)

// IsThread reports whether messages in the channel belong to a thread.
func (c Channel) IsThread() bool { return c.Type >= 10 && c.Type <= 12 }

// IsForum reports whether every conversation in the channel is a post: a thread that contains
// its own first message.
func (c Channel) IsForum() bool { return c.Type == channelForum || c.Type == channelMedia }

// IsDirect reports whether the channel is a conversation outside of guilds.
func (c Channel) IsDirect() bool { return c.Type == ChannelDM || c.Type == ChannelGroupDM }

// Role is a role of a guild.
type Role struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Permissions string `json:"permissions"`
	Tags        struct {
		BotID     string          `json:"bot_id"`
		Connected json.RawMessage `json:"guild_connections"` // null where people get the role by linking an account, else nil; so are the others
		Boosts    json.RawMessage `json:"premium_subscriber"`
		Bought    json.RawMessage `json:"available_for_purchase"`
		Listing   json.RawMessage `json:"subscription_listing_id"`
	} `json:"tags"`
}

// Guild is a Discord server.
type Guild struct {
	ID              string    `json:"id"`
	Name            string    `json:"name"`
	OwnerID         string    `json:"owner_id"`
	SystemChannelID string    `json:"system_channel_id"`
	PreferredLocale string    `json:"preferred_locale"`
	JoinedAt        string    `json:"joined_at"` // when the bot was added
	Unavailable     bool      `json:"unavailable"`
	Roles           []Role    `json:"roles"`
	Channels        []Channel `json:"channels"`
	Threads         []Channel `json:"threads"`
}

// Ready is the gateway's first event of a session.
type Ready struct {
	User      User   `json:"user"`
	SessionID string `json:"session_id"`
	ResumeURL string `json:"resume_gateway_url"`
	Guilds    []struct {
		ID string `json:"id"`
	} `json:"guilds"`
	Application struct {
		ID string `json:"id"`
	} `json:"application"`
}
