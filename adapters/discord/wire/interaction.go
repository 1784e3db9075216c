package wire

import "encoding/json"

// Interaction is a person's action: a command, a click, a form, or an autocompletion.
type Interaction struct {
	ID            string          `json:"id"`
	ApplicationID string          `json:"application_id"`
	Type          int             `json:"type"`
	Token         string          `json:"token"`
	GuildID       string          `json:"guild_id"`
	ChannelID     string          `json:"channel_id"`
	Channel       *Channel        `json:"channel"`
	Member        *Member         `json:"member"`
	User          *User           `json:"user"`
	Locale        string          `json:"locale"`
	Message       *Message        `json:"message"`
	Data          InteractionData `json:"data"`
}

// Complete reports whether an interaction has the mandatory fields.
func (i *Interaction) Complete() bool {
	return IDNumber(i.ID) > 0 && i.Token != "" && IDNumber(i.ChannelID) > 0
}

// Types of interactions.
const (
	InteractionPing         = 1
	InteractionCommand      = 2
	InteractionComponent    = 3
	InteractionAutocomplete = 4
	InteractionModal        = 5
)

// InteractionData is the payload of an interaction.
type InteractionData struct {
	Name       string          `json:"name"`
	Type       int             `json:"type"`
	Options    []CommandOption `json:"options"`
	CustomID   string          `json:"custom_id"`
	Values     []string        `json:"values"`
	Components json.RawMessage `json:"components"`
	TargetID   string          `json:"target_id"` // of a menu: the message
	Resolved   json.RawMessage `json:"resolved"`
}

// CommandOption is an argument of a command, or a subcommand with its own arguments.
type CommandOption struct {
	Name    string          `json:"name"`
	Type    int             `json:"type"`
	Value   json.RawMessage `json:"value"`
	Focused bool            `json:"focused"`
	Options []CommandOption `json:"options"`
}

// Text returns the option's value as text.
func (o CommandOption) Text() string {
	var s string
	if json.Unmarshal(o.Value, &s) == nil {
		return s
	}
	return string(o.Value)
}
