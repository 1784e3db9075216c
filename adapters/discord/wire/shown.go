package wire

import (
	"encoding/json"
	"strings"

	"maru/bot/content"
)

// shown is what a message's components say: text displays, the descriptions of pictures and what menus offer, and apart from
// them the labels of buttons and empty menus. Unknown parts are skipped, so that the event is not lost.
type shown struct{ text, controls []string }

// UnmarshalJSON implements json.Unmarshaler; it never fails.
func (r *shown) UnmarshalJSON(raw []byte) error {
	*r = shown{}
	r.read(raw, 0)
	return nil
}

// words returns the text, or else the labels of buttons.
func (r *shown) words() string {
	if len(r.text) == 0 {
		return strings.Join(r.controls, "\n")
	}
	return strings.Join(r.text, "\n")
}

const maxNesting = 6

// captioned is media with a description; see https://discord.com/developers/docs/components/reference.
type captioned struct {
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
		captioned

		Type        int             `json:"type"`
		Content     string          `json:"content"`
		Label       string          `json:"label"`
		Placeholder string          `json:"placeholder"`
		Name        string          `json:"name"`
		URL         string          `json:"url"` // to which a button leads
		Items       []captioned     `json:"items"`
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
		r.picture(c.captioned)
	case kindGallery:
		for _, p := range c.Items {
			r.picture(p)
		}
	case kindFile:
		if c.Name != "" {
			r.text = append(r.text, content.Words(content.Unreadable("file", c.Name)))
		}
	default:
		r.control(joined(c.Label+c.Placeholder, c.URL, ": "), c.Description, c.Options, c.Type == KindLabel)
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
	captioned

	Label   string `json:"label"`
	Default bool   `json:"default"` // chosen from the start
}

// control writes what a button, a menu or the label of a field says.
func (r *shown) control(says, more string, options []option, label bool) {
	var offers []string
	for _, o := range options {
		offer := joined(o.Label, o.Description, " – ")
		if o.Default {
			offer += " (chosen)"
		}
		offers = append(offers, offer)
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

func (r *shown) picture(p captioned) {
	r.text = append(r.text, content.Words(content.Part{Kind: content.Picture, Text: p.Description}))
}
