package render

import (
	"maru/phrase/link"
	"maru/phrase/markdown"
)

// Line and tok are what Markdown is written in; see [markdown.Slack].
type (
	Line = markdown.Line
	tok  = markdown.Token
)

// Lines returns an answer's Markdown as lines in which every mention, link and
// bracket is safe.
func Lines(src string, known map[string]bool) []Line {
	return markdown.Slack().Lines(src, known)
}

// Piece is as much of an answer as goes into one message.
type Piece struct {
	Markdown string // Markdown
	plain    string // the same without markup
	fresh    bool   // it begins a message, however much room the last one has
}

// split packs lines into pieces of at most limit units.
func split(lines []Line, limit int) []Piece {
	var out []Piece
	for _, p := range markdown.Slack().Split(lines, limit) {
		out = append(out, Piece{Markdown: p.Text, plain: p.Plain})
	}
	return out
}

// SplitAt is split with messages that must begin at the given lines, as they did when a
// native stream was rolled over.
func SplitAt(lines []Line, limit int, breaks []int) []Piece {
	var out []Piece
	from := 0
	for _, to := range append(breaks[:len(breaks):len(breaks)], len(lines)) {
		if to <= from || to > len(lines) {
			continue
		}
		part := split(lines[from:to], limit)
		if from > 0 && len(part) > 0 {
			part[0].fresh = true
		}
		out = append(out, part...)
		from = to
	}
	return out
}

// safeURL returns an address as it may be posted, where it leads, and whether a click
// should lead there.
func safeURL(raw string) (u string, to link.Address, ok bool) { return markdown.Slack().Address(raw) }
