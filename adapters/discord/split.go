package discord

import (
	"bytes"
	"strings"

	"maru/phrase/fit"
)

// write joins lines to Discord's Markdown: fences are opened with their language
// and table head, and closed, wherever the lines begin and end.
func write(lines []line) string {
	var b strings.Builder
	var open *fence
	outdent := 0
	if len(lines) > 0 {
		outdent = leading(lines[0].prefix)
	}
	for i, l := range lines {
		if open != nil && l.fence != open {
			b.WriteString("```\n")
			open = nil
		}
		if l.blank && i > 0 && l.fence == nil && lines[i-1].fence == nil {
			if quoted(l.prefix) && quoted(lines[i-1].prefix) {
				b.WriteByte('>')
			}
			b.WriteByte('\n')
		}
		if l.fence != nil {
			if open == nil {
				open = l.fence
				b.WriteString("```" + open.lang + "\n")
				for _, h := range open.head {
					b.WriteString(h + "\n")
				}
			}
			b.WriteString(tokens(l.toks) + "\n")
			continue
		}
		prefix := l.prefix
		prefix = prefix[min(outdent, leading(prefix)):]
		b.WriteString(strings.TrimRight(prefix+tokens(l.toks), " ") + "\n")
	}
	if open != nil {
		b.WriteString("```\n")
	}
	return strings.TrimRight(b.String(), "\n ")
}

func quoted(prefix string) bool { return strings.HasPrefix(prefix, "> ") }

// tokens joins tokens; emphasis is opened where it begins and closed where it
// ends, so any run of tokens is whole Markdown.
func tokens(toks []tok) string {
	var out []byte
	open := ""
	for _, t := range toks {
		common := 0
		for common < len(open) && common < len(t.marks) && open[common] == t.marks[common] {
			common++
		}
		out = closeMarks(out, open[common:])
		for i := common; i < len(t.marks); i++ {
			out = append(out, markOf(t.marks[i])...)
		}
		open = t.marks
		out = append(out, t.s...)
	}
	return string(closeMarks(out, open))
}

// closeMarks closes emphasis before the spaces that end it: a mark after a space
// closes nothing.
func closeMarks(s []byte, open string) []byte {
	if open == "" {
		return s
	}
	kept := bytes.TrimRight(s, " ")
	spaces := len(s) - len(kept)
	for i := len(open) - 1; i >= 0; i-- {
		kept = append(kept, markOf(open[i])...)
	}
	return append(kept, bytes.Repeat([]byte(" "), spaces)...)
}

func leading(s string) int { return len(s) - len(strings.TrimLeft(s, " ")) }

// split packs lines into messages of at most limit characters. It breaks between
// blocks if that leaves a message at least half full, else between lines, else
// between words; code blocks that are broken are closed and opened again.
func split(lines []line, limit int) []string {
	var out []string
	lines = shorten(lines, limit)
	for len(lines) > 0 {
		n := howMany(lines, limit)
		if s := write(lines[:n]); strings.TrimSpace(s) != "" {
			out = append(out, s)
		}
		lines = lines[n:]
	}
	return out
}

// howMany returns how many of the lines go into a message: at least one.
func howMany(lines []line, limit int) int {
	total, gap, gapAt := 0, 0, 0
	for i, l := range lines {
		var prev *line
		if i > 0 {
			prev = &lines[i-1]
		}
		if i > 0 && l.gap {
			gap, gapAt = i, total
		}
		total += cost(prev, l)
		if total <= limit {
			continue
		}
		switch {
		case i == 0:
			return 1
		case gap > 0 && gapAt > limit/2:
			return gap
		}
		return i
	}
	return len(lines)
}

// cost is at most what a line adds to a message, with what must be repeated
// around it.
func cost(prev *line, l line) int {
	n := size(l.prefix) + size(tokens(l.toks)) + 1
	if l.blank {
		n += 3
	}
	if l.fence != nil && (prev == nil || prev.fence != l.fence) {
		n += l.fence.cost()
	}
	return n
}

// cost is what opening and closing a code block takes.
func (f *fence) cost() int {
	n := size(f.lang) + 9
	for _, h := range f.head {
		n += size(h) + 1
	}
	return n
}

// shorten cuts lines that are longer than a message into several.
func shorten(lines []line, limit int) []line {
	out := make([]line, 0, len(lines))
	for _, l := range lines {
		if cost(nil, l) <= limit {
			out = append(out, l)
			continue
		}
		out = append(out, l.shorten(limit)...)
	}
	return out
}

func (l line) shorten(limit int) []line {
	if l.fence != nil && l.fence.cost() > limit/2 {
		l.fence = &fence{lang: l.fence.lang}
	}
	if size(l.prefix) > limit/4 {
		l.prefix = ""
	}
	room := limit - cost(nil, line{prefix: l.prefix, fence: l.fence, blank: true})
	var out []line
	var cur []tok
	total := 0
	for _, t := range l.toks {
		for _, p := range t.shorten(room, l.fence != nil) {
			n := size(p.s)
			if len(cur) == 0 || cur[len(cur)-1].marks != p.marks {
				n += p.around() // opened here, closed again
			}
			if len(cur) > 0 && total+n > room {
				out = append(out, l.part(cur, len(out)))
				cur, total, n = nil, 0, size(p.s)+p.around()
			}
			cur = append(cur, p)
			total += n
		}
	}
	return append(out, l.part(cur, len(out)))
}

// part returns the nth of the lines that l becomes.
func (l line) part(toks []tok, nth int) line {
	l.toks = toks
	if nth > 0 {
		l.gap, l.blank = false, false
		l.prefix = continued(l.prefix)
	}
	return l
}

// continued is the prefix of the lines after one that began with prefix: a
// list's marker becomes its indentation.
func continued(prefix string) string {
	quote := ""
	if quoted(prefix) {
		quote, prefix = "> ", prefix[2:]
	}
	return quote + strings.Repeat(" ", size(prefix))
}

// around is what the emphasis of a token takes.
func (t tok) around() int {
	n := 0
	for i := range len(t.marks) {
		n += 2 * len(markOf(t.marks[i]))
	}
	return n
}

// shorten cuts one token between graphemes; a link is cut to its words.
func (t tok) shorten(room int, inCode bool) []tok {
	around := t.around()
	if size(t.s)+around <= room {
		return []tok{t}
	}
	var out []tok
	for rest := t.plain; rest != ""; {
		// Escaping makes text at most four times as long.
		head := fit.Cut(rest, max((room-around-8)/4, 1))
		rest = rest[len(head):]
		p := tok{plain: head, marks: t.marks, kind: tokWord}
		switch {
		case inCode:
			p.s = codeText(head)
		case t.kind == tokCode:
			p.s, p.kind = codeSpan(head), tokCode
		default:
			p.s = escape(defang(head))
		}
		out = append(out, p)
	}
	return out
}
