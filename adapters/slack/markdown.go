package slack

import (
	"maru/phrase/link"
	"maru/phrase/markdown"
)

// line and tok are what Markdown is written in; see [markdown.Slack].
type (
	line = markdown.Line
	tok  = markdown.Token
)

// parseMarkdown returns an answer's Markdown as lines in which every mention, link and
// bracket is safe.
func parseMarkdown(src string, known map[string]bool) []line {
	return markdown.Slack().Lines(src, known)
}

// piece is as much of an answer as goes into one message.
type piece struct {
	md    string // Markdown
	plain string // the same without markup
	fresh bool   // it begins a message, however much room the last one has
}

// split packs lines into pieces of at most limit units.
func split(lines []line, limit int) []piece {
	var out []piece
	for _, p := range markdown.Slack().Split(lines, limit) {
		out = append(out, piece{md: p.Text, plain: p.Plain})
	}
	return out
}

// splitAt is split with messages that must begin at the given lines, as they did when a
// native stream was rolled over.
func splitAt(lines []line, limit int, breaks []int) []piece {
	var out []piece
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

// escape makes plain text safe in mrkdwn text.
func escape(s string) string { return markdown.Entities(s) }

// plainSafe makes plain text safe in mrkdwn; it calls nobody and strikes nothing.
func plainSafe(s string) string { return markdown.Mrkdwn(s) }

// literal makes words safe where Slack shows them as they are.
func literal(s string) string { return markdown.Literal(s) }

// safeURL returns an address as it may be posted, where it leads, and whether a click
// should lead there.
func safeURL(raw string) (u string, to link.Address, ok bool) { return markdown.Slack().Address(raw) }

// leadsAway reports whether Markdown that is about to be streamed holds an address that
// is not one of the answer's sources.
func leadsAway(md string, known map[string]bool) bool { return markdown.LeadsAway(md, known) }
