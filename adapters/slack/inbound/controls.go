package inbound

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"maru/adapters/slack/payload"
	"maru/bot/content"
	"maru/phrase/fit"
)

// offers returns the options of a menu, or of a group of boxes, with a mark at those that are chosen, or else what a field holds. See
// https://docs.slack.dev/reference/block-kit/block-elements.
func (r reading) offers(e payload.Object) string {
	chosen := e.List("initial_options")
	if one := e.Obj("initial_option"); one != nil {
		chosen = append(chosen, one)
	}
	options := e.List("options")
	for _, group := range e.List("option_groups") {
		options = append(options, group.List("options")...)
	}
	var out []string
	for _, o := range options {
		s := r.object(o, "text")
		if more := r.object(o, "description"); more != "" {
			s += " – " + more
		}
		if slices.ContainsFunc(chosen, func(c payload.Object) bool { return c.Str("value") == o.Str("value") }) {
			s += " (chosen)"
		}
		out = append(out, s)
	}
	for _, k := range []string{"initial_value", "initial_date", "initial_time"} {
		if s := fit.Clean(e.Str(k)); len(out) == 0 && s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "; ")
}

// input reads a field of a form that an app posts.
func (r reading) input(b payload.Object) content.Part {
	c := content.Part{Kind: content.Card, Text: r.object(b, "label"), Footer: r.object(b, "hint")}
	if labels := r.labels([]payload.Object{b.Obj("element")}); labels.Text != "" {
		c.Parts = append(c.Parts, labels)
	}
	return c
}

// huddle describes a huddle, whose message has no text of its own.
func huddle(room payload.Object) content.Part {
	name := fit.Clean(cmp.Or(room.Str("name"), room.Str("topic")))
	var facts []string
	if at := room.Num("date_start"); at > 0 {
		facts = append(facts, "from "+content.Moment(payload.Time(strconv.FormatInt(at, 10))))
	}
	if at := room.Num("date_end"); at > 0 {
		facts = append(facts, "to "+content.Moment(payload.Time(strconv.FormatInt(at, 10))))
	}
	if n := len(room.Strs("participant_history")); n == 1 {
		facts = append(facts, "1 person")
	} else if n > 1 {
		facts = append(facts, fmt.Sprintf("%d people", n))
	}
	return content.Unreadable(strings.Join(append([]string{strings.TrimSpace("huddle " + name)}, facts...), ", "), "")
}
