package wire

import "github.com/bwmarrin/discordgo"

// Kinds of components.
const (
	KindRow         = int(discordgo.ActionsRowComponent)
	KindButton      = int(discordgo.ButtonComponent)
	KindSelect      = int(discordgo.SelectMenuComponent)
	KindTextInput   = int(discordgo.TextInputComponent)
	KindMentionable = int(discordgo.MentionableSelectMenuComponent)
	KindText        = int(discordgo.TextDisplayComponent)
	KindSeparator   = int(discordgo.SeparatorComponent)
	KindContainer   = int(discordgo.ContainerComponent)
	KindLabel       = 18 // not in discordgo

	kindThumbnail = int(discordgo.ThumbnailComponent)
	kindGallery   = int(discordgo.MediaGalleryComponent)
	kindFile      = int(discordgo.FileComponentType)
)

// Styles of buttons and text inputs.
const (
	StylePrimary   = int(discordgo.PrimaryButton)
	StyleSecondary = int(discordgo.SecondaryButton)
	StyleDanger    = int(discordgo.DangerButton)
	StyleLink      = int(discordgo.LinkButton)
	StyleShort     = int(discordgo.TextInputShort)
	StyleParagraph = int(discordgo.TextInputParagraph)
)

// Component is any Discord component that the adapter sends.
type Component struct {
	Type         int            `json:"type"`
	Components   []Component    `json:"components,omitempty"`   // of a row or container
	Component    *Component     `json:"component,omitempty"`    // of a label
	Content      string         `json:"content,omitempty"`      // of a text display
	AccentColour *int           `json:"accent_color,omitempty"` // of a container
	Divider      *bool          `json:"divider,omitempty"`      // of a separator
	Spacing      int            `json:"spacing,omitempty"`      // of a separator: 1 or 2
	Emoji        *Emoji         `json:"emoji,omitempty"`
	Style        int            `json:"style,omitempty"`
	Label        string         `json:"label,omitempty"`
	Description  string         `json:"description,omitempty"`
	CustomID     string         `json:"custom_id,omitempty"`
	URL          string         `json:"url,omitempty"`
	Value        string         `json:"value,omitempty"`
	Placeholder  string         `json:"placeholder,omitempty"`
	Required     *bool          `json:"required,omitempty"`
	MinLength    *int           `json:"min_length,omitempty"`
	MaxLength    int            `json:"max_length,omitempty"`
	Options      []SelectOption `json:"options,omitempty"`
	MinValues    *int           `json:"min_values,omitempty"`
	MaxValues    int            `json:"max_values,omitempty"`
	Defaults     []DefaultValue `json:"default_values,omitempty"` // of a menu of people and roles
}

// Emoji is the picture on a button.
type Emoji struct {
	Name string `json:"name"`
}

// DefaultValue is a preselected entry in a menu of people and roles.
type DefaultValue struct {
	ID   string `json:"id"`
	Type string `json:"type"` // "user" or "role"
}

// SelectOption is an entry of a menu.
type SelectOption struct {
	Label   string `json:"label"`
	Value   string `json:"value"`
	Default bool   `json:"default,omitempty"`
}

// Flags of messages.
const (
	FlagSuppressEmbeds = int(discordgo.MessageFlagsSuppressEmbeds)
	FlagEphemeral      = int(discordgo.MessageFlagsEphemeral)
	FlagV2             = int(discordgo.MessageFlagsIsComponentsV2) // a message of components
)
