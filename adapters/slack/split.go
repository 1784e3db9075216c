package slack

import (
	"strings"

	"maru/phrase/fit"
)

// tokensString joins tokens; emphasis is opened where it begins and closed where
// it ends, so any run of tokens is whole Markdown.
func tokensString(toks []tok) string {
	if len(toks) == 1 && toks[0].marks == "" {
		return toks[0].s
	}
	var b []byte
	open := ""
	for _, t := range toks {
		common := 0
		for common < len(open) && common < len(t.marks) && open[common] == t.marks[common] {
			common++
		}
		b = closeMarks(b, open[common:])
		for i := common; i < len(t.marks); i++ {
			b = append(b, marks[t.marks[i]]...)
		}
		open = t.marks
		if strings.HasPrefix(t.s, "(") && len(b) > 0 && b[len(b)-1] == ']' {
			b = append(b, '\\') // words must not become a link that nobody checked
		}
		b = append(b, t.s...)
	}
	return string(closeMarks(b, open))
}

// closeMarks closes emphasis before the spaces that end it: a mark after a space
// closes nothing.
func closeMarks(b []byte, open string) []byte {
	if open == "" {
		return b
	}
	end := len(b)
	for end > 0 && b[end-1] == ' ' {
		end--
	}
	blanks := len(b) - end
	b = b[:end]
	for i := len(open) - 1; i >= 0; i-- {
		b = append(b, marks[open[i]]...)
	}
	for range blanks {
		b = append(b, ' ')
	}
	return b
}

func plainTokens(toks []tok) string {
	var b strings.Builder
	for _, t := range toks {
		b.WriteString(t.plain)
	}
	return b.String()
}

// piece is as much of an answer as goes into one message.
type piece struct {
	md    string // Markdown
	plain string // the same without markup
	fresh bool   // it begins a message, however much room the last one has
}

// splitAt is split with messages that must begin at the given lines, as they
// did when a native stream was rolled over.
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

// split packs lines into pieces of at most limit units. It breaks between
// blocks if that leaves a piece at least half full, else between lines, else
// between words; code blocks and tables that are broken are closed and opened
// again with their language and their head.
func split(lines []line, limit int) []piece {
	var out []piece
	lines = shorten(lines, limit)
	for len(lines) > 0 && lines[0].empty() {
		lines = lines[1:]
	}
	for len(lines) > 0 {
		n := howMany(lines, limit)
		out = append(out, piece{md: write(lines[:n]), plain: writePlain(lines[:n])})
		lines = lines[n:]
		for len(lines) > 0 && lines[0].empty() {
			lines = lines[1:]
		}
	}
	return out
}

func (l line) empty() bool { return len(l.toks) == 0 && l.fence == nil && l.table == nil }

// howMany returns how many of the lines go into a piece: at least one.
func howMany(lines []line, limit int) int {
	size, gap := 0, 0
	for i, l := range lines {
		var prev *line
		if i > 0 {
			prev = &lines[i-1]
		}
		size += cost(prev, l)
		if i > 0 && l.gap && size > limit/2 && gap == 0 || i > 0 && l.gap && size <= limit {
			gap = i
		}
		if size <= limit {
			continue
		}
		if i == 0 {
			return 1
		}
		if gap > 0 && gapSize(lines[:gap]) > limit/2 {
			return gap
		}
		return i
	}
	return len(lines)
}

func gapSize(lines []line) int {
	n := 0
	for _, l := range lines {
		n += fit.UTF16(l.prefix) + fit.UTF16(tokensString(l.toks)) + 1
	}
	return n
}

// cost is at most what a line adds to a piece, with what must be repeated
// around it.
func cost(prev *line, l line) int {
	n := fit.UTF16(l.prefix) + fit.UTF16(tokensString(l.toks)) + 2
	if l.fence != nil && (prev == nil || prev.fence != l.fence) {
		n += 2 * (fit.UTF16(l.fence.open) + fit.UTF16(l.prefix) + 2)
	}
	if l.table != nil && (prev == nil || prev.table != l.table) {
		for _, h := range l.table.head {
			n += fit.UTF16(h) + fit.UTF16(l.prefix) + 2
		}
	}
	return n
}

// write joins lines to Markdown. Lists that begin in the middle are moved to the
// left, or their indentation would make them code.
func write(lines []line) string {
	var b strings.Builder
	var fence *fence
	var tbl *table
	outdent := leading(lines[0].prefix)
	group := lines[0].group
	inner := ""
	for i, l := range lines {
		prefix := l.prefix
		if l.group == group {
			prefix = prefix[min(outdent, leading(prefix)):]
		}
		if fence != nil && l.fence != fence {
			b.WriteString(inner + fence.close + "\n")
			fence = nil
		}
		if i > 0 && l.group != lines[i-1].group {
			b.WriteString("\n")
		}
		if l.fence != nil && fence == nil {
			fence, inner = l.fence, continued(prefix)
			b.WriteString(prefix + fence.open + "\n")
			prefix = inner
		} else if l.fence != nil {
			prefix = inner
		}
		if l.table != nil && l.table != tbl {
			for _, h := range l.table.head {
				b.WriteString(prefix + h + "\n")
				prefix = continued(prefix)
			}
		}
		tbl = l.table
		if l.table == nil || len(l.toks) > 0 {
			b.WriteString(strings.TrimRight(prefix+tokensString(l.toks), " ") + "\n")
		}
	}
	if fence != nil {
		b.WriteString(inner + fence.close + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// continued is the prefix of the lines after one that began with prefix: a
// list's marker becomes its indentation.
func continued(prefix string) string {
	out := []byte(prefix)
	for i, c := range out {
		if c != '>' && c != ' ' {
			out[i] = ' '
		}
	}
	return string(out)
}

func leading(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

func writePlain(lines []line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 && l.group != lines[i-1].group {
			b.WriteString("\n")
		}
		if l.table != nil && (i == 0 || lines[i-1].table != l.table) {
			b.WriteString(strings.TrimSpace(l.table.plain) + "\n")
		}
		b.WriteString(strings.TrimRight(l.prefix+plainTokens(l.toks), " \t") + "\n")
	}
	return strings.TrimSpace(b.String())
}

// shorten cuts lines that are longer than a piece into several.
func shorten(lines []line, limit int) []line {
	var out []line
	for _, l := range lines {
		out = append(out, shortenLine(l, limit)...)
	}
	return out
}

func shortenLine(l line, limit int) []line {
	if cost(nil, l) <= limit {
		return []line{l}
	}
	if l.table != nil {
		l.toks, l.table = []tok{{s: escapeMarkdown(escapeLabel(plainTokens(l.toks))), plain: plainTokens(l.toks)}}, nil
	}
	room := limit - cost(nil, line{prefix: l.prefix, fence: l.fence, table: l.table}) - 16
	if room < limit/4 {
		l.prefix, l.fence = "", nil
		room = limit - 16
	}
	var out []line
	var cur []tok
	size := 0
	for _, t := range l.toks {
		for _, p := range shortenTok(t, room) {
			n := fit.UTF16(p.s) + 1
			if len(cur) == 0 || cur[len(cur)-1].marks != p.marks {
				n += 4 * (len(p.marks) + 1) // opened here, closed again
			}
			if len(cur) > 0 && size+n > room {
				out = append(out, l.with(cur, len(out)))
				cur, size, n = nil, 0, n+4*(len(p.marks)+1)
			}
			cur = append(cur, p)
			size += n
		}
	}
	return append(out, l.with(cur, len(out)))
}

// with returns the nth of the lines that l becomes.
func (l line) with(toks []tok, nth int) line {
	l.toks = toks
	if nth > 0 {
		l.gap = false
		l.prefix = continued(l.prefix)
		if l.fence == nil && l.table == nil {
			l.toks = guard(toks)
		}
	}
	return l
}

// shortenTok cuts one token: a word and code between graphemes, a link to its
// label.
func shortenTok(t tok, room int) []tok {
	if fit.UTF16(t.s)+16 <= room {
		return []tok{t}
	}
	var out []tok
	for rest := t.plain; rest != ""; {
		// Escaping makes text up to six times as long.
		head := cut(rest, max(room/8, 1))
		rest = rest[len(head):]
		p := tok{plain: head, marks: t.marks}
		switch {
		case t.code:
			p.s, p.code = spanOf(head), true
		case t.s == escapeCode(t.plain):
			p.s = escapeCode(head)
		default:
			p.s = escapeMarkdown(calm(defang(escapeLabel(head))))
		}
		out = append(out, p)
	}
	return out
}
