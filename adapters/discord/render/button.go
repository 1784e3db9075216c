package render

import (
	"cmp"
	"strconv"
	"strings"

	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// customID encodes an opaque ID and a verb; "" if they do not fit.
func customID(id, verb string) string {
	s := idPrefix + ":" + id + ":" + verb
	if id == "" || strings.Contains(id, ":") || size(s) > MaxCustomID {
		return ""
	}
	return s
}

// ParseCustomID reverses customID.
func ParseCustomID(s string) (id, verb string, ok bool) {
	p := strings.SplitN(s, ":", 3)
	if len(p) != 3 || p[0] != idPrefix || p[1] == "" || size(s) > MaxCustomID {
		return "", "", false
	}
	verb, _, _ = strings.Cut(p[2], "#")
	return p[1], verb, true
}

// idPrefix marks the custom IDs of the adapter's buttons and forms, so that those of another
// program with the same token are ignored.
const idPrefix = "m1"

// buttonRows lays the buttons out. If there are too many, the low-priority ones go into a
// select menu.
func buttonRows(c bot.Card) []wire.Component {
	seen := map[string]bool{}
	var weighty, list []wire.Component
	for _, b := range c.Buttons {
		el, ok := button(b, seen)
		switch {
		case !ok:
		case len(c.Buttons) > maxButtons && el.Style == wire.StyleSecondary:
			list = append(list, el)
		case len(weighty) < maxButtons:
			weighty = append(weighty, el)
		}
	}
	rows := selects(list, c.Language)
	for len(weighty) > 0 {
		n := min(len(weighty), maxRowButtons)
		rows = append(rows, wire.Component{Type: wire.KindRow, Components: weighty[:n:n]})
		weighty = weighty[n:]
	}
	return rows[:min(len(rows), maxRows)]
}

// selects converts buttons to select menus; an option's value is the button's payload.
func selects(buttons []wire.Component, lang string) []wire.Component {
	var rows []wire.Component
	for n := 0; len(buttons) > 0 && n < maxRows-maxButtons/maxRowButtons; n++ {
		size := min(len(buttons), maxOptions)
		el := wire.Component{
			Type: wire.KindSelect, CustomID: customID(SelectID, strconv.Itoa(n)),
			Placeholder: phrase.Say(lang, "discord.choose"),
		}
		for _, b := range buttons[:size] {
			el.Options = append(el.Options, wire.SelectOption{Label: cmp.Or(b.Label, "…"), Value: b.CustomID})
		}
		rows = append(rows, wire.Component{Type: wire.KindRow, Components: []wire.Component{el}})
		buttons = buttons[size:]
	}
	return rows
}

// SelectID replaces the row's ID in a select menu's custom ID.
const SelectID = "choose"

// picture reports whether a label is a single emoji that Discord can show.
func picture(label string) bool {
	return label == "👍" || label == "👎"
}

func button(b bot.Button, seen map[string]bool) (wire.Component, bool) {
	el := wire.Component{Type: wire.KindButton, Style: wire.StyleSecondary, Label: fit.Clip(cmp.Or(OneLine(b.Label), "…"), maxButton)}
	if picture(el.Label) {
		el.Emoji, el.Label = &wire.Emoji{Name: el.Label}, ""
	}
	if b.URL != "" {
		u, _, ok := safeURL(b.URL)
		if !ok || size(u) > maxURL || seen[u] {
			return wire.Component{}, false
		}
		seen[u] = true
		el.Style, el.URL = wire.StyleLink, u
		return el, true
	}
	el.CustomID = customID(b.ID, b.Verb)
	if el.CustomID == "" || seen[el.CustomID] {
		return wire.Component{}, false
	}
	seen[el.CustomID] = true
	switch b.Style {
	case bot.ButtonPrimary:
		el.Style = wire.StylePrimary
	case bot.ButtonDanger:
		el.Style = wire.StyleDanger
	case bot.ButtonPlain:
	}
	return el, true
}
