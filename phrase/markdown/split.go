package markdown

import "strings"

// Part is the text of one message.
type Part struct {
	Text  string // Markdown of the dialect
	Plain string // without markup
}

// Split packs lines into parts of at most limit. It breaks between blocks if that leaves a
// part at least half full, else between lines, else between words, and within a word only
// between graphemes. Split code blocks and tables are closed and reopened with their language
// or header; links and emphasis stay whole.
func (d *Dialect) Split(lines []Line, limit int) []Part {
	var out []Part
	lines = d.Shorten(lines, limit)
	for len(lines) > 0 {
		n := d.howMany(lines, limit)
		p := Part{Text: d.Join(lines[:n]), Plain: PlainLines(lines[:n])}
		if strings.TrimSpace(p.Text) != "" {
			out = append(out, p)
		}
		lines = lines[n:]
	}
	return out
}

// howMany returns the number of lines that fit into a part: at least one.
func (d *Dialect) howMany(lines []Line, limit int) int {
	total, gap, gapAt := 0, 0, 0
	for i, l := range lines {
		var prev *Line
		if i > 0 {
			prev = &lines[i-1]
			if l.Gap {
				gap, gapAt = i, total
			}
		}
		total += d.cost(prev, l)
		switch {
		case total <= limit:
		case i == 0:
			return 1
		case gap > 0 && gapAt > limit/2:
			return gap
		default:
			return i
		}
	}
	return len(lines)
}

// cost bounds the size that a line adds to a part, including repeated framing.
func (d *Dialect) cost(prev *Line, l Line) int {
	n := d.measure(l.Prefix) + d.measure(d.Text(l.Tokens)) + 2
	if l.Blank {
		n += d.measure(l.above) + 1
	}
	if l.Frame != nil && (prev == nil || prev.Frame != l.Frame) {
		n += d.frameCost(l)
	}
	return n
}

// frameCost returns the size of opening and closing a line's frame.
func (d *Dialect) frameCost(l Line) int {
	n := 0
	for _, s := range append([]string{l.Frame.Open, l.Frame.Close}, l.Frame.Head...) {
		n += d.measure(l.Prefix) + d.measure(s) + 1
	}
	return n
}

// Join writes lines as Markdown, opening and closing frames at the ends. Lists that begin in
// the middle are outdented, because their indentation would make them code.
func (d *Dialect) Join(lines []Line) string {
	if len(lines) == 0 {
		return ""
	}
	j := joiner{d: d, group: lines[0].Group, outdent: leading(lines[0].Prefix)}
	for i, l := range lines {
		j.line(l, i == 0)
	}
	j.close()
	return strings.TrimRight(j.b.String(), "\n ")
}

// joiner joins lines.
type joiner struct {
	d       *Dialect
	b       strings.Builder
	group   int // group of outdented lines
	outdent int
	frame   *Frame
	inner   string // prefix of the lines in frame
}

func (j *joiner) line(l Line, begins bool) {
	prefix := l.Prefix
	if l.Group == j.group {
		prefix = prefix[min(j.outdent, leading(prefix)):]
	}
	framed := j.frame != nil
	if j.frame != l.Frame {
		j.close()
	}
	if l.Blank && !begins && (j.d.apart || !framed && l.Frame == nil) {
		j.b.WriteString(l.above + "\n")
	}
	if l.Frame != nil {
		prefix = j.open(l.Frame, prefix)
		if l.Frame.Table && len(l.Tokens) == 0 {
			return // a table with only a header
		}
	}
	s := j.d.Text(l.Tokens)
	if l.Frame == nil || s != j.d.empty {
		s = strings.TrimRight(prefix+s, " ")
	}
	j.b.WriteString(s + "\n")
}

// open begins a frame unless it is open, and returns the prefix of its next line.
func (j *joiner) open(f *Frame, prefix string) string {
	if j.frame == f {
		return j.inner
	}
	j.frame, j.inner = f, continued(prefix)
	for _, s := range append([]string{f.Open}, f.Head...) {
		if s != "" {
			j.b.WriteString(prefix + s + "\n")
			prefix = j.inner
		}
	}
	return prefix
}

// close ends the frame that is open.
func (j *joiner) close() {
	if j.frame != nil && j.frame.Close != "" {
		j.b.WriteString(j.inner + j.frame.Close + "\n")
	}
	j.frame = nil
}

// continued returns the prefix of the lines after one with prefix: a list marker becomes
// indentation.
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

// PlainLines writes lines without markup.
func PlainLines(lines []Line) string {
	var b strings.Builder
	for i, l := range lines {
		if i > 0 && l.Blank {
			b.WriteString(l.above + "\n")
		}
		if l.Frame != nil && l.Frame.Plain != "" && (i == 0 || lines[i-1].Frame != l.Frame) {
			b.WriteString(strings.TrimRight(l.Frame.Plain, " \t") + "\n")
		}
		b.WriteString(strings.TrimRight(l.Prefix+Plain(l.Tokens), " \t") + "\n")
	}
	return strings.TrimRight(strings.TrimLeft(b.String(), "\n"), " \t\n")
}
