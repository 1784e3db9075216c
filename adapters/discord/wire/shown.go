package wire

import (
	"encoding/json"
	"strings"

	"maru/bot/content"
)

// shownText is the text of a message's components: text displays, the descriptions of pictures and what menus offer, or if
// there are none, what its buttons and empty menus say. Unknown parts are skipped, so that the event is not lost.
type shownText string

// UnmarshalJSON implements json.Unmarshaler; it never fails.
func (s *shownText) UnmarshalJSON(raw []byte) error {
	var r shown
	r.read(raw, 0)
	if len(r.text) == 0 {
		r.text = r.controls
	}
	*s = shownText(strings.Join(r.text, "\n"))
	return nil
}

type shown struct{ text, controls []string }

const maxNesting = 6

// described is media with a description; see https://discord.com/developers/docs/components/reference.
type described struct {
	Description string `json:"description"`
}

// read collects what components say, in any nesting.
func (r *shown) read(raw json.RawMessage, depth int) {
	var list []json.RawMessage
	if depth > maxNesting || json.Unmarshal(raw, &list) != nil {
		return
	}
	for _, one := range list {
		r.component(one, depth)
	}
}

func (r *shown) component(raw json.RawMessage, depth int) {
	var c struct {
		described

		Type        int             `json:"type"`
		Content     string          `json:"content"`
		Label       string          `json:"label"`
		Placeholder string          `json:"placeholder"`
		Name        string          `json:"name"`
		Items       []described     `json:"items"`
		Options     []option        `json:"options"`
		Component   json.RawMessage `json:"component"` // of a label
		Accessory   json.RawMessage `json:"accessory"`
		Components  json.RawMessage `json:"components"`
	}
	if depth > maxNesting || json.Unmarshal(raw, &c) != nil {
		return
	}
	switch c.Type {
	case KindText:
		if c.Content != "" {
			r.text = append(r.text, c.Content)
		}
	case kindThumbnail:
		r.picture(c.described)
	case kindGallery:
		for _, p := range c.Items {
			r.picture(p)
		}
	case kindFile:
		if c.Name != "" {
			r.text = append(r.text, content.Words(content.Unreadable("file", c.Name)))
		}
	default:
		r.control(c.Label+c.Placeholder, c.Description, c.Options, c.Type == KindLabel)
	}
	r.read(c.Components, depth+1)
	for _, one := range []json.RawMessage{c.Accessory, c.Component} {
		if len(one) > 0 {
			r.component(one, depth+1)
		}
	}
}

// option is an entry of a menu or a group of boxes.
type option struct {
	described

	Label string `json:"label"`
}

// control writes what a button, a menu or the label of a field says.
func (r *shown) control(says, more string, options []option, label bool) {
	var offers []string
	for _, o := range options {
		offers = append(offers, joined(o.Label, o.Description, " – "))
	}
	text := joined(joined(says, more, " – "), strings.Join(offers, "; "), ": ")
	switch {
	case text == "":
	case len(offers) > 0 || label:
		r.text = append(r.text, "["+text+"]")
	default:
		r.controls = append(r.controls, "["+text+"]")
	}
}

// joined joins two texts of which either may be missing.
func joined(a, b, between string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + between + b
}

func (r *shown) picture(p described) {
	r.text = append(r.text, content.Words(content.Part{Kind: content.Picture, Text: p.Description}))
}
