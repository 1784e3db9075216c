package discord

import (
	"strings"

	"maru/bot"
)

// Kinds of components.
const (
	typeRow       = 1
	typeButton    = 2
	typeSelect    = 3
	typeTextInput = 4
	typeLabel     = 18
)

// Styles of buttons and text inputs.
const (
	stylePrimary   = 1
	styleSecondary = 2
	styleDanger    = 4
	styleLink      = 5
	styleShort     = 1
	styleParagraph = 2
)

// component is any of Discord's components that the adapter sends.
type component struct {
	Type        int            `json:"type"`
	Components  []component    `json:"components,omitempty"` // of a row
	Component   *component     `json:"component,omitempty"`  // of a label
	Style       int            `json:"style,omitempty"`
	Label       string         `json:"label,omitempty"`
	Description string         `json:"description,omitempty"`
	CustomID    string         `json:"custom_id,omitempty"`
	URL         string         `json:"url,omitempty"`
	Value       string         `json:"value,omitempty"`
	Placeholder string         `json:"placeholder,omitempty"`
	Required    *bool          `json:"required,omitempty"`
	MinLength   *int           `json:"min_length,omitempty"`
	MaxLength   int            `json:"max_length,omitempty"`
	Options     []selectOption `json:"options,omitempty"`
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

// VerbOpen is the verb of the button that the adapter adds to a card with a form
// and no button of its own for it.
const VerbOpen = "open"

// buttonRows lays the buttons out, and one that opens the card's form.
func buttonRows(c bot.Card) []component {
	buttons := c.Buttons
	if f := c.Form; f != nil && !hasButton(buttons, f.ID) {
		own := bot.Button{ID: f.ID, Verb: VerbOpen, Label: first(f.Title, f.Submit), Style: bot.ButtonPrimary}
		buttons = append(buttons[:len(buttons):len(buttons)], own)
	}
	var rows []component
	seen := map[string]bool{}
	for _, b := range buttons {
		el, ok := button(b, seen)
		if !ok {
			continue
		}
		if n := len(rows); n == 0 || len(rows[n-1].Components) == maxRowButtons {
			if n == maxRows {
				break
			}
			rows = append(rows, component{Type: typeRow})
		}
		last := &rows[len(rows)-1]
		last.Components = append(last.Components, el)
	}
	return rows
}

func hasButton(bs []bot.Button, id string) bool {
	for _, b := range bs {
		if b.ID == id {
			return true
		}
	}
	return false
}

func button(b bot.Button, seen map[string]bool) (component, bool) {
	el := component{Type: typeButton, Style: styleSecondary, Label: clip(first(oneLine(b.Label), "…"), maxButton)}
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
