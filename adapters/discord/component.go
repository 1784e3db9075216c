package discord

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Kinds of components.
const (
	typeRow         = int(discordgo.ActionsRowComponent)
	typeButton      = int(discordgo.ButtonComponent)
	typeSelect      = int(discordgo.SelectMenuComponent)
	typeTextInput   = int(discordgo.TextInputComponent)
	typeMentionable = int(discordgo.MentionableSelectMenuComponent)
	typeText        = int(discordgo.TextDisplayComponent)
	typeSeparator   = int(discordgo.SeparatorComponent)
	typeContainer   = int(discordgo.ContainerComponent)
	typeLabel       = 18 // the library has no name for it
)

// Styles of buttons and text inputs.
const (
	stylePrimary   = int(discordgo.PrimaryButton)
	styleSecondary = int(discordgo.SecondaryButton)
	styleDanger    = int(discordgo.DangerButton)
	styleLink      = int(discordgo.LinkButton)
	styleShort     = int(discordgo.TextInputShort)
	styleParagraph = int(discordgo.TextInputParagraph)
)

// component is any of Discord's components that the adapter sends.
type component struct {
	Type         int            `json:"type"`
	Components   []component    `json:"components,omitempty"`   // of a row or container
	Component    *component     `json:"component,omitempty"`    // of a label
	Content      string         `json:"content,omitempty"`      // of a text display
	AccentColour *int           `json:"accent_color,omitempty"` // of a container
	Divider      *bool          `json:"divider,omitempty"`      // of a separator
	Spacing      int            `json:"spacing,omitempty"`      // of a separator: 1 or 2
	Emoji        *emoji         `json:"emoji,omitempty"`
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
	Options      []selectOption `json:"options,omitempty"`
	MinValues    *int           `json:"min_values,omitempty"`
	MaxValues    int            `json:"max_values,omitempty"`
	Defaults     []defaultValue `json:"default_values,omitempty"` // of a menu of people and roles
}

type emoji struct {
	Name string `json:"name"`
}

// defaultValue is somebody who is chosen already in a menu of people and roles.
type defaultValue struct {
	ID   string `json:"id"`
	Type string `json:"type"` // "user" or "role"
}

type selectOption struct {
	Label   string `json:"label"`
	Value   string `json:"value"`
	Default bool   `json:"default,omitempty"`
}

// idPrefix begins the custom ids of the adapter's buttons and forms, so that
// those of another program with the same token are not taken for its own.
const idPrefix = "m1"

// customID carries an opaque id and a verb; "" if it cannot.
func customID(id, verb string) string {
	s := idPrefix + ":" + id + ":" + verb
	if id == "" || strings.Contains(id, ":") || size(s) > maxCustomID {
		return ""
	}
	return s
}

// parseCustomID reverses customID.
func parseCustomID(s string) (id, verb string, ok bool) {
	p := strings.SplitN(s, ":", 3)
	if len(p) != 3 || p[0] != idPrefix || p[1] == "" || size(s) > maxCustomID {
		return "", "", false
	}
	verb, _, _ = strings.Cut(p[2], "#")
	return p[1], verb, true
}

// buttonRows lays the buttons out. Of more than fit, those without weight become a
// list to choose from.
func buttonRows(c bot.Card) []component {
	seen := map[string]bool{}
	var weighty, list []component
	for _, b := range c.Buttons {
		el, ok := button(b, seen)
		switch {
		case !ok:
		case len(c.Buttons) > maxButtons && el.Style == styleSecondary:
			list = append(list, el)
		case len(weighty) < maxButtons:
			weighty = append(weighty, el)
		}
	}
	rows := selects(list, c.Language)
	for len(weighty) > 0 {
		n := min(len(weighty), maxRowButtons)
		rows = append(rows, component{Type: typeRow, Components: weighty[:n:n]})
		weighty = weighty[n:]
	}
	return rows[:min(len(rows), maxRows)]
}

// selects makes lists to choose from of buttons: an option's value is what the
// button would carry.
func selects(buttons []component, lang string) []component {
	var rows []component
	for n := 0; len(buttons) > 0 && n < maxRows-maxButtons/maxRowButtons; n++ {
		size := min(len(buttons), maxOptions)
		el := component{
			Type: typeSelect, CustomID: customID(selectID, strconv.Itoa(n)),
			Placeholder: phrase.Say(lang, "discord.choose"),
		}
		for _, b := range buttons[:size] {
			el.Options = append(el.Options, selectOption{Label: cmp.Or(b.Label, "…"), Value: b.CustomID})
		}
		rows = append(rows, component{Type: typeRow, Components: []component{el}})
		buttons = buttons[size:]
	}
	return rows
}

// selectID stands in a list's custom id where a button has a row's id.
const selectID = "choose"

// picture reports whether a label is one emoji that Discord shows as such.
func picture(label string) bool {
	return label == "👍" || label == "👎"
}

func button(b bot.Button, seen map[string]bool) (component, bool) {
	el := component{Type: typeButton, Style: styleSecondary, Label: fit.Clip(cmp.Or(oneLine(b.Label), "…"), maxButton)}
	if picture(el.Label) {
		el.Emoji, el.Label = &emoji{Name: el.Label}, ""
	}
	if b.URL != "" {
		u, _, ok := safeURL(b.URL)
		if !ok || size(u) > maxURL || seen[u] {
			return component{}, false
		}
		seen[u] = true
		el.Style, el.URL = styleLink, u
		return el, true
	}
	el.CustomID = customID(b.ID, b.Verb)
	if el.CustomID == "" || seen[el.CustomID] {
		return component{}, false
	}
	seen[el.CustomID] = true
	switch b.Style {
	case bot.ButtonPrimary:
		el.Style = stylePrimary
	case bot.ButtonDanger:
		el.Style = styleDanger
	case bot.ButtonPlain:
	}
	return el, true
}

// Flags of messages.
const (
	flagSuppressEmbeds = int(discordgo.MessageFlagsSuppressEmbeds)
	flagEphemeral      = int(discordgo.MessageFlagsEphemeral)
	flagV2             = int(discordgo.MessageFlagsIsComponentsV2) // a message of components
)
