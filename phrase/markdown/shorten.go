package markdown

import (
	"strings"

	"maru/phrase/fit"
)

// Shorten splits lines that exceed a part.
func (d *Dialect) Shorten(lines []Line, limit int) []Line {
	out := make([]Line, 0, len(lines))
	for _, l := range lines {
		if d.cost(nil, l) <= limit {
			out = append(out, l)
			continue
		}
		out = append(out, d.shortenLine(l, limit)...)
	}
	return out
}

func (d *Dialect) shortenLine(l Line, limit int) []Line {
	code := l.Frame != nil && l.Frame.Open != ""
	if l.Frame != nil && !code { // a row of bars cannot be split
		plain := Plain(l.Tokens)
		l.Tokens, l.Frame = []Token{{Text: d.escape(plain), Plain: plain}}, nil
	}
	l = d.narrow(l, limit)
	room := d.room(l, limit)
	var out []Line
	var cur []Token
	size := 0
	for _, t := range l.Tokens {
		for _, p := range d.shortenToken(t, room, code) {
			n := d.measure(p.Text)
			if strings.HasPrefix(p.Text, "(") {
				n++ // see Text
			}
			if len(cur) == 0 || cur[len(cur)-1].Marks != p.Marks {
				n += d.around(p.Marks) // opened and closed here
			}
			if len(cur) > 0 && size+n > room {
				out = append(out, d.nth(l, cur, len(out)))
				cur, size, n = nil, 0, d.measure(p.Text)+d.around(p.Marks)
			}
			cur = append(cur, p)
			size += n
		}
	}
	return append(out, d.nth(l, cur, len(out)))
}

// room returns the space for l's tokens in a part that begins with l.
func (d *Dialect) room(l Line, limit int) int {
	return limit - d.cost(nil, Line{Prefix: l.Prefix, Frame: l.Frame, Blank: true, above: l.above}) - d.spare
}

// narrow drops a line's repeated parts as needed to leave room for its tokens.
func (d *Dialect) narrow(l Line, limit int) Line {
	if f := l.Frame; f != nil && d.room(l, limit) < limit/4 {
		l.Frame = &Frame{Open: f.Open, Close: f.Close}
	}
	if d.room(l, limit) < limit/4 {
		l.Prefix, l.above = "", ""
	}
	if d.room(l, limit) < limit/4 {
		l.Frame = nil
	}
	return l
}

// nth returns the nth line that l is split into.
func (d *Dialect) nth(l Line, tokens []Token, n int) Line {
	l.Tokens = tokens
	if n > 0 {
		l.Gap, l.Blank, l.above = false, false, ""
		l.Prefix = continued(l.Prefix)
		if l.Frame == nil {
			l.Tokens = d.start(tokens, false)
		}
	}
	return l
}

// around returns the size of a token's emphasis marks.
func (d *Dialect) around(marks string) int {
	n := 0
	for i := range len(marks) {
		before, after := d.marks(marks[i])
		n += len(before) + len(after)
	}
	return n
}

// shortenToken splits one token: a word or code between graphemes, a link into words.
func (d *Dialect) shortenToken(t Token, room int, code bool) []Token {
	room -= d.around(t.Marks)
	if d.measure(t.Text)+d.spare <= room {
		return []Token{t}
	}
	var out []Token
	for rest := t.Plain; rest != ""; {
		head := fit.CutBy(rest, max((room-8)/d.growth, 1), d.measure)
		rest = rest[len(head):]
		p := Token{Plain: head, Marks: t.Marks}
		switch {
		case code:
			p.Text, p.Kind = d.codeLine(head), Code
		case t.Kind == Code:
			p.Text, p.Kind = d.codeSpan(head), Code
		default:
			p.Text = d.escape(head)
		}
		out = append(out, p)
	}
	return out
}
