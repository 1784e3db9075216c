package render

import (
	"cmp"
	"slices"
	"strings"

	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase/fit"
)

// Form is the payload of a modal.
type Form struct {
	CustomID   string           `json:"custom_id"`
	Title      string           `json:"title"`
	Components []wire.Component `json:"components"`
}

// Modal renders a form. Discord allows five inputs; required ones go first when there are
// more. mark is the key of a stored form, "" for none. isRole distinguishes roles among the
// chosen IDs.
func Modal(f bot.Form, mark string, isRole func(id string) bool) Form {
	verb := f.Verb
	if mark != "" {
		verb += "#" + mark
	}
	m := Form{
		CustomID: fit.Cut(cmp.Or(customID(f.ID, verb), customID(f.ID, f.Verb), idPrefix+":"+f.ID), MaxCustomID),
		Title:    fit.Clip(cmp.Or(OneLine(f.Title), "Maru"), maxModalTitle),
	}
	inputs := f.Inputs
	if len(inputs) > MaxModalInputs {
		inputs = slices.Clone(inputs)
		slices.SortStableFunc(inputs, func(x, y bot.Input) int {
			switch {
			case x.Required == y.Required:
				return 0
			case x.Required:
				return -1
			}
			return 1
		})
		inputs = inputs[:MaxModalInputs]
	}
	for _, in := range inputs {
		el := input(in)
		if in.Pick {
			el = picker(in, isRole)
		}
		label, hint := cmp.Or(OneLine(in.Label), in.ID), OneLine(in.Hint)
		if size(label) > maxLabel && !strings.HasPrefix(hint, bot.MarkFlaw) { // the description has room for all of it
			hint = label
		}
		m.Components = append(m.Components, wire.Component{
			Type: wire.KindLabel, Label: fit.Clip(label, maxLabel), Description: fit.Clip(hint, maxHint), Component: &el,
		})
	}
	return m
}

// input renders one field: a text input or a select menu.
func input(in bot.Input) wire.Component {
	required := in.Required
	c := wire.Component{CustomID: fit.Cut(in.ID, MaxCustomID), Required: &required}
	if len(in.Options) > 0 {
		c.Type = wire.KindSelect
		seen := map[string]bool{}
		for _, o := range in.Options {
			v := fit.Cut(o.Value, maxOption)
			if v == "" || seen[v] || len(c.Options) == maxOptions {
				continue
			}
			seen[v] = true
			c.Options = append(c.Options, wire.SelectOption{Label: fit.Clip(cmp.Or(OneLine(o.Label), v), maxOption), Value: v, Default: o.Value == in.Value})
		}
		return c
	}
	if fitsMenu(in.Several) {
		c.Type = wire.KindSelect
		none := 0
		c.MinValues, c.MaxValues = &none, len(in.Several)
		set := in.Values()
		for _, o := range in.Several {
			c.Options = append(c.Options, wire.SelectOption{Label: fit.Clip(cmp.Or(OneLine(o.Label), o.Value), maxOption), Value: o.Value, Default: slices.Contains(set, o.Value)})
		}
		return c
	}
	c.Type, c.Style = wire.KindTextInput, wire.StyleShort
	if in.Long {
		c.Style = wire.StyleParagraph
	}
	c.MaxLength = maxInput
	if in.Max > 0 && in.Max < maxInput {
		c.MaxLength = in.Max
	}
	c.Value = fit.Cut(fit.Clean(in.Value), c.MaxLength)
	return c
}

// picker is Discord's multi-select menu of people and roles.
func picker(in bot.Input, isRole func(id string) bool) wire.Component {
	required, none := in.Required, 0
	c := wire.Component{Type: wire.KindMentionable, CustomID: fit.Cut(in.ID, MaxCustomID), Required: &required, MinValues: &none, MaxValues: maxPicked}
	for _, id := range in.Values() {
		kind := "user"
		if isRole(id) {
			kind = "role"
		}
		c.Defaults = append(c.Defaults, wire.DefaultValue{ID: id, Type: kind})
	}
	return c
}

// fitsMenu reports whether a menu can show all choices unchanged: a submitted menu with fewer
// would remove the missing ones.
func fitsMenu(options []bot.Option) bool {
	return len(options) > 0 && len(options) <= maxOptions &&
		!slices.ContainsFunc(options, func(o bot.Option) bool { return o.Value == "" || fit.Cut(o.Value, maxOption) != o.Value })
}
