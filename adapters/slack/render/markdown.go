package render

import (
	"maru/phrase/chart"
	"maru/phrase/link"
	"maru/phrase/markdown"
)

// Line and tok are the parsed Markdown; see [markdown.Slack].
type (
	Line = markdown.Line
	tok  = markdown.Token
)

// Lines parses an answer's Markdown into lines with every mention, link and bracket escaped. Of a chart that Slack draws
// they have the title.
func Lines(src string, known map[string]bool, lang string) []Line {
	lines, _ := linesOf(src, known, lang)
	return lines
}

func linesOf(src string, known map[string]bool, lang string) ([]Line, []chart.Chart) {
	text, charts := withoutCharts(src, lang)
	return markdown.Slack().Lines(text, known), charts
}

// Piece is the part of an answer that fits into one message.
type Piece struct {
	Markdown string // Markdown
	plain    string // without markup
	fresh    bool   // it begins a message even if the last one has room
}

// split packs lines into pieces of at most limit units.
func split(lines []Line, limit int) []Piece {
	var out []Piece
	for _, p := range markdown.Slack().Split(lines, limit) {
		out = append(out, Piece{Markdown: p.Text, plain: p.Plain})
	}
	return out
}

// SplitAt is split with message starts at the given lines, as after the roll-over of a native
// stream.
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

// safeURL returns a URL for posting, its target, and whether to link it.
func safeURL(raw string) (u string, to link.Address, ok bool) { return markdown.Slack().Address(raw) }
