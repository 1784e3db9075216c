package render

import (
	"strings"

	"github.com/slack-go/slack"

	"maru/bot"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// element is a block with its size.
type element struct {
	block    slack.Block
	markdown int    // counts towards maxMarkdown
	size     int    // counts towards maxTotal
	plain    string // its text without markup
	fresh    bool   // it begins a message
	bars     string // a chart as text
}

// Card renders a card as messages within Slack's limits.
func Card(c bot.Card) []Part { return CardAt(c, nil) }

// CardAt is Card for a reply whose messages began at the given lines of its text.
func CardAt(c bot.Card, breaks []int) []Part {
	return pack(cardElements(c, textElements(c, breaks)))
}

// cardElements returns all elements of a card, given those of its text.
func cardElements(c bot.Card, text []element) []element {
	var els []element
	if t := strings.TrimSpace(fit.Clean(c.Title)); t != "" {
		t = Clip(markdown.Literal(OneLine(t)), maxHeader)
		els = append(els, element{block: slack.NewHeaderBlock(slack.NewTextBlockObject(slack.PlainTextType, t, false, false)), size: fit.UTF16(t), plain: t})
	}
	els = append(els, text...)
	els = append(els, fieldElements(c.Fields)...)
	els = append(els, stepElements(c.Steps, c.Language)...)
	if c.Status != "" && !c.Final {
		els = append(els, contextElement("⏳ "+Clip(OneLine(c.Status), contextText)))
	}
	els = append(els, sourceElements(c)...)
	els = append(els, buttonElements(c)...)
	if c.Footer != "" {
		els = append(els, footerElement(c))
	}
	if len(els) == 0 {
		els = append(els, contextElement("…"))
	}
	return els
}

// textElements renders the card's Markdown, one block a message.
func textElements(c bot.Card, breaks []int) []element {
	if strings.TrimSpace(c.Text) == "" {
		return nil
	}
	if c.Own && phrase.MomentWords(c.Text) != c.Text && fit.UTF16(c.Text) <= maxSection {
		return richElements(c) // a markdown block has no dates
	}
	src := cut(c.Text, maxMessages*MaxPart)
	more := len(src) < len(c.Text)
	lines, charts := linesOf(src, c.Links(), c.Language)
	pieces := SplitAt(lines, MaxPart, breaks)
	if len(pieces) > maxMessages {
		pieces, more = pieces[:maxMessages], true
	}
	var out []element
	for _, p := range pieces {
		if strings.TrimSpace(p.Markdown) == "" {
			continue
		}
		out = append(out, textElement(p))
	}
	out = append(out, chartElements(charts, c.Language)...)
	if more {
		out = append(out, contextElement(phrase.Say(c.Language, "slack.cut.rest")))
	}
	return out
}

func textElement(p Piece) element {
	return element{block: slack.NewMarkdownBlock("", p.Markdown), markdown: fit.UTF16(p.Markdown), size: fit.UTF16(p.Markdown), plain: p.plain, fresh: p.fresh}
}

// contextElement returns a line of small grey text.
func contextElement(s string) element {
	safe := clipEscaped(s, contextText)
	obj := slack.NewTextBlockObject(slack.MarkdownType, safe, false, true)
	return element{block: slack.NewContextBlock("", obj), size: fit.UTF16(safe), plain: s}
}

// footerElement returns the small text under a card.
func footerElement(c bot.Card) element {
	s := fit.OneLine(phrase.KeepMoments(c.Footer, fit.Clean))
	e := contextElement(Clip(phrase.MomentWords(s), contextText))
	if safe := markdown.MrkdwnTimed(s); c.Own && fit.UTF16(safe) <= contextText {
		e.block = slack.NewContextBlock("", slack.NewTextBlockObject(slack.MarkdownType, safe, false, true))
		e.size = fit.UTF16(safe)
	}
	return e
}

// section returns a block of mrkdwn text that is already escaped.
func section(safe, plain string) element {
	obj := slack.NewTextBlockObject(slack.MarkdownType, safe, false, true)
	return element{block: slack.NewSectionBlock(obj, nil, nil), size: fit.UTF16(safe), plain: plain}
}

// clipEscaped escapes plain text and clips it to limit, without cutting an entity.
func clipEscaped(s string, limit int) string {
	safe := markdown.Mrkdwn(s)
	for n := limit; fit.UTF16(safe) > limit; n = n * 3 / 4 {
		safe = markdown.Mrkdwn(Clip(s, n))
	}
	return safe
}

// clipSafe returns a final bound on escaped text.
func clipSafe(safe string, limit int) string {
	if fit.UTF16(safe) <= limit {
		return safe
	}
	return strings.TrimRight(cut(safe, limit-1), "&abcdefglmpt;#0123456789") + "…"
}

// OneLine returns s without line breaks and invisible characters.
func OneLine(s string) string { return fit.OneLine(fit.Clean(s)) }
