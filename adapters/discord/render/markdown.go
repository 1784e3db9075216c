package render

import (
	"maru/bot"
	"maru/phrase/fit"
	"maru/phrase/link"
	"maru/phrase/markdown"
)

// line and tok are the parsed Markdown; see [markdown.Discord].
type (
	line = markdown.Line
	tok  = markdown.Token
)

// dialect returns the Markdown of a card's text.
func dialect(c bot.Card) *markdown.Dialect {
	if c.Own {
		return markdown.Discord().Timed()
	}
	return markdown.Discord()
}

// parseMarkdown parses a card's Markdown into lines with every mention, link and bracket
// escaped.
func parseMarkdown(c bot.Card) []line {
	return dialect(c).Lines(fit.Cut(c.Text, 2*maxMessages*MaxContent), c.Links())
}

// split packs lines into messages of at most limit characters.
func split(lines []line, limit int) []string {
	var out []string
	for _, p := range markdown.Discord().Split(lines, limit) {
		out = append(out, p.Text)
	}
	return out
}

// words returns plain text as tokens without markup.
func words(s, marks string) []tok { return markdown.Discord().Words(s, marks) }

// fixed returns the adapter's own markup.
func fixed(s string) []tok { return []tok{markdown.Own(s)} }

// Escape escapes plain text for Discord's Markdown.
func Escape(s string) string { return markdown.Discord().Escape(s) }

// safeURL returns a URL for posting, its target, and whether to link it. Discord has no
// mailto links.
func safeURL(raw string) (u string, to link.Address, ok bool) {
	return markdown.Discord().Address(raw)
}
