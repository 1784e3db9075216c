package render

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/slack-go/slack"

	"maru/bot"
	"maru/phrase/fit"
)

// feedbackElement renders the last two buttons of a card that asks for feedback with Slack's
// feedback element; the others stay buttons.
func feedbackElement(c bot.Card) (element, []bot.Button, bool) {
	if c.Kind != bot.CardFeedback || len(c.Buttons) < 2 {
		return element{}, c.Buttons, false
	}
	e := element{}
	others, pair := c.Buttons[:len(c.Buttons)-2], c.Buttons[len(c.Buttons)-2:]
	var sides []*slack.FeedbackButton
	for _, b := range pair {
		value := buttonValue(b.ID, b.Verb)
		if b.ID == "" || b.URL != "" || len(value) > MaxID-len(ActionPrefix)-8 {
			return element{}, c.Buttons, false
		}
		label := plainText(OneLine(b.Label), "…", maxButton)
		sides = append(sides, slack.NewFeedbackButton(label, value).WithAccessibilityLabel(spoken(b)))
		e.size += fit.UTF16(label.Text)
		e.plain += "[" + label.Text + "] "
	}
	id := ActionPrefix + "feedback:" + buttonValue(pair[0].ID, "")
	e.block = slack.NewContextActionsBlock("", slack.NewFeedbackButtonsBlockElement(id, sides[0], sides[1]))
	e.plain = strings.TrimSpace(e.plain)
	return e, others, true
}

// buttonElements renders the buttons.
func buttonElements(c bot.Card) []element {
	var out []element
	feedback, buttons, rated := feedbackElement(c)
	seen := map[string]int{}
	for rows := 0; len(buttons) > 0 && rows < 2; rows++ {
		n := min(len(buttons), maxActions)
		e := element{}
		var els []slack.BlockElement
		for _, b := range buttons[:n] {
			el, ok := button(b, seen)
			if !ok {
				continue
			}
			els = append(els, el)
			e.size += fit.UTF16(el.Text.Text)
			e.plain += "[" + el.Text.Text + "] "
		}
		if len(els) > 0 {
			e.block, e.plain = slack.NewActionBlock("", els...), strings.TrimSpace(e.plain)
			out = append(out, e)
		}
		buttons = buttons[n:]
	}
	if rated {
		out = append(out, feedback)
	}
	return out
}

func button(b bot.Button, seen map[string]int) (*slack.ButtonBlockElement, bool) {
	label := plainText(OneLine(b.Label), "…", maxButton)
	if b.URL != "" {
		u, _, ok := safeURL(b.URL)
		if !ok {
			return nil, false
		}
		el := slack.NewButtonBlockElement(unique(linkPrefix, seen), "", label)
		el.URL = u
		return el, true
	}
	value := buttonValue(b.ID, b.Verb)
	if b.ID == "" || len(value) > MaxID-len(ActionPrefix)-8 {
		return nil, false
	}
	el := slack.NewButtonBlockElement(unique(ActionPrefix+value, seen), value, label)
	el.AccessibilityLabel = spoken(b)
	switch b.Style {
	case bot.ButtonPrimary:
		el.Style = slack.StylePrimary
	case bot.ButtonDanger:
		el.Style = slack.StyleDanger
	}
	return el, true
}

// spoken returns a button's screen-reader label, "" for its visible label.
func spoken(b bot.Button) string {
	if b.Spoken == "" {
		return ""
	}
	return plainText(OneLine(b.Spoken), "", maxButton).Text
}

// unique makes an action_id unique within its message.
func unique(id string, seen map[string]int) string {
	seen[id]++
	if n := seen[id]; n > 1 || id == linkPrefix {
		return id + ":" + strconv.Itoa(n)
	}
	return id
}

// ActionPrefix marks the buttons that the bot handles. Link buttons have another prefix,
// since Slack reports their clicks too.
const (
	ActionPrefix = "maru:"
	linkPrefix   = "link:"
)

// buttonValue encodes a button's payload: the opaque ID and the choice.
func buttonValue(id, verb string) string { return url.QueryEscape(id) + ":" + url.QueryEscape(verb) }

// ParseButton reverses buttonValue; false for anything else.
func ParseButton(value string) (id, verb string, ok bool) {
	rawID, rawVerb, found := strings.Cut(value, ":")
	id, err1 := url.QueryUnescape(rawID)
	verb, err2 := url.QueryUnescape(rawVerb)
	return id, verb, found && err1 == nil && err2 == nil && id != ""
}
