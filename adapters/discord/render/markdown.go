package render

import (
	"maru/phrase/link"
	"maru/phrase/markdown"
)

// line and tok are what Markdown is written in; see [markdown.Discord].
type (
	line = markdown.Line
	tok  = markdown.Token
)

// parseMarkdown returns an answer's Markdown as lines of Discord's in which every
// mention, link and bracket is safe.
func parseMarkdown(src string, known map[string]bool) []line {
	return markdown.Discord().Lines(src, known)
}

// split packs lines into messages of at most limit characters.
func split(lines []line, limit int) []string {
	var out []string
	for _, p := range markdown.Discord().Split(lines, limit) {
		out = append(out, p.Text)
	}
	return out
}

// words returns plain words as tokens in which nothing is markup.
func words(s, marks string) []tok { return markdown.Discord().Words(s, marks) }

// fixed is markup of the adapter's own.
func fixed(s string) []tok { return []tok{markdown.Own(s)} }

// Escape makes plain words stand in Discord's Markdown as they are.
func Escape(s string) string { return markdown.Discord().Escape(s) }

// safeURL returns an address as it may be posted, where it leads, and whether a click
// should lead there. Discord has no links of mail.
func safeURL(raw string) (u string, to link.Address, ok bool) {
	return markdown.Discord().Address(raw)
}
