package render

import (
	"strings"

	"maru/adapters/discord/wire"
	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
)

// Limits of a components message ("components v2").
const (
	maxComponents = 40   // including nested ones
	maxV2Text     = 4000 // of all its text displays
	maxBlockText  = 3500 // of one text display, leaving room for others
)

// Accent colours of cards that need attention.
const (
	colourAsks   = 0x5865F2
	colourDone   = 0x57F287
	colourFailed = 0xED4245
	colourOver   = 0x80848E
)

// isNative reports whether a card is sent as components: those that people act
// on or watch a plan in. Answers are classic messages, which can be longer, quoted,
// searched and copied; see adapters/discord/README.md.
func isNative(c bot.Card) bool {
	switch c.Kind {
	case bot.CardChoices, bot.CardPlan:
		return true
	case bot.CardText, bot.CardProgress, bot.CardFeedback, bot.CardNotice:
	}
	return false
}

// native renders a card as containers, one per message.
func native(c bot.Card) []Part {
	var parts []Part
	var box []wire.Component
	total := 0
	flush := func() {
		if len(box) > 0 {
			parts = append(parts, newContainer(c, box))
			box, total = nil, 0
		}
	}
	for _, t := range blockTexts(c) {
		if total+size(t.s) > maxV2Text {
			flush()
		}
		if len(box) > 0 {
			box = append(box, separator(t.rule))
		}
		box = append(box, textDisplay(t.s))
		total += size(t.s)
	}
	box = append(box, buttonRows(c)...)
	flush()
	if len(parts) > maxMessages { // the last one has the buttons
		gap := newContainer(c, []wire.Component{textDisplay("-# " + phrase.Say(c.Language, "discord.cut.middle"))})
		parts = append(parts[:maxMessages-2:maxMessages-2], gap, parts[len(parts)-1])
	}
	return parts
}

// block is the text of one component.
type block struct {
	s    string
	rule bool // with a separator above
}

// blockTexts returns a card's sections, split to size.
func blockTexts(c bot.Card) []block {
	var out []block
	add := func(rule bool, lines []line) {
		for i, s := range split(lines, maxBlockText) {
			out = append(out, block{s: s, rule: rule && i == 0})
		}
	}
	add(false, append(titleLine(c), parseMarkdown(c)...))
	add(false, fieldLines(c.Fields))
	add(true, stepLines(c.Steps, c.Language))
	if c.Status != "" && !c.Final {
		add(false, []line{quiet("⏳ " + fit.Clip(OneLine(c.Status), maxStatus))})
	}
	add(true, sourceLines(c.Sources, c.Language))
	if c.Footer != "" {
		add(false, []line{footer(c)})
	}
	if len(out) == 0 {
		out = []block{{s: "…"}}
	}
	return out
}

func newContainer(c bot.Card, box []wire.Component) Part {
	colour := colourOf(c)
	el := wire.Component{Type: wire.KindContainer, AccentColour: &colour, Components: box}
	if count(el) > maxComponents { // drop the separators first
		var kept []wire.Component
		for _, b := range box {
			if b.Type != wire.KindSeparator {
				kept = append(kept, b)
			}
		}
		el.Components = kept
	}
	return Part{blocks: []wire.Component{el}}
}

func colourOf(c bot.Card) int {
	done := len(c.Steps) > 0
	for _, s := range c.Steps {
		switch s.State {
		case bot.StepFailed:
			return colourFailed
		case bot.StepWaiting, bot.StepRunning:
			done = false
		case bot.StepDone, bot.StepSkipped:
		}
	}
	switch {
	case done:
		return colourDone
	case c.Final || len(c.Buttons) == 0 && c.Kind != bot.CardPlan:
		return colourOver
	}
	return colourAsks
}

func textDisplay(s string) wire.Component { return wire.Component{Type: wire.KindText, Content: s} }

func separator(rule bool) wire.Component {
	return wire.Component{Type: wire.KindSeparator, Divider: &rule, Spacing: 1}
}

// count returns the number of components, including nested ones.
func count(c wire.Component) int {
	n := 1
	for _, in := range c.Components {
		n += count(in)
	}
	return n
}

// V2 reports whether a part has components.
func (p Part) V2() bool { return p.blocks != nil }

// AsV2 converts a part for an existing components message, which Discord cannot convert back.
func (p Part) AsV2() Part {
	if p.V2() {
		return p
	}
	return Part{blocks: append([]wire.Component{textDisplay(p.content)}, p.rows...)}
}

// Text returns the part's text.
func (p Part) Text() string {
	if !p.V2() {
		return p.content
	}
	return textOf(p.blocks)
}

// textOf joins the text displays of components.
func textOf(cs []wire.Component) string {
	var out []string
	for _, c := range cs {
		if c.Type == wire.KindText {
			out = append(out, c.Content)
		}
		if s := textOf(c.Components); s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n")
}
