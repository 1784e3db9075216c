package markdown

import (
	"bytes"
	"strings"
)

// Text joins tokens. It opens and closes emphasis as needed, so any run of tokens is complete
// Markdown.
func (d *Dialect) Text(tokens []Token) string {
	if len(tokens) == 1 && tokens[0].Marks == "" {
		return tokens[0].Text
	}
	var b []byte
	open := ""
	for _, t := range tokens {
		common := 0
		for common < len(open) && common < len(t.Marks) && open[common] == t.Marks[common] {
			common++
		}
		b = d.closeMarks(b, open[common:])
		for i := common; i < len(t.Marks); i++ {
			before, _ := d.marks(t.Marks[i])
			b = append(b, before...)
		}
		open = t.Marks
		if t.Kind != Code && strings.HasPrefix(t.Text, "(") && len(b) > 0 && b[len(b)-1] == ']' {
			b = append(b, '\\') // text must not form an unchecked link
		}
		b = append(b, t.Text...)
	}
	return string(d.closeMarks(b, open))
}

// closeMarks closes emphasis before trailing spaces: a mark after a space closes nothing.
func (d *Dialect) closeMarks(s []byte, open string) []byte {
	if open == "" {
		return s
	}
	kept := bytes.TrimRight(s, " ")
	spaces := len(s) - len(kept)
	for i := len(open) - 1; i >= 0; i-- {
		_, after := d.marks(open[i])
		kept = append(kept, after...)
	}
	return append(kept, bytes.Repeat([]byte(" "), spaces)...)
}
