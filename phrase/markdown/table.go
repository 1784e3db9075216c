package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// maxHead bounds a table's header, which every part repeats.
const maxHead = 3000

// barTable writes a table's rows between bars.
func barTable(w *writer, n *east.Table, head, rest string) {
	f := &Frame{Table: true}
	begun := false
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		row := w.row(c)
		if _, ok := c.(*east.TableHeader); ok {
			f.Plain = fit.ClipBy(Plain(row), maxHead, w.d.measure)
			f.Head = []string{strings.TrimRight(fit.ClipBy(w.d.Text(row), maxHead, w.d.measure), " "), delimiter(n.Alignments)}
			continue
		}
		w.add(head, Line{Tokens: row, Frame: f})
		head, begun = rest, true
	}
	if !begun {
		w.add(head, Line{Frame: f}) // a table with only a header
	}
}

func delimiter(as []east.Alignment) string {
	var b strings.Builder
	b.WriteString("|")
	for _, a := range as {
		switch a {
		case east.AlignLeft:
			b.WriteString(" :--- |")
		case east.AlignRight:
			b.WriteString(" ---: |")
		case east.AlignCenter:
			b.WriteString(" :---: |")
		default:
			b.WriteString(" --- |")
		}
	}
	return b.String()
}

var bar = pattern.New(`\\?\|`)

// row writes a row's cells with the bars between them.
func (w *writer) row(n ast.Node) []Token {
	tokens := []Token{{Text: "| ", Kind: Fixed}}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		for _, t := range oneLine(w.inlines(c, "")) {
			t.Text = bar.ReplaceAllString(t.Text, `\|`)
			tokens = append(tokens, t)
		}
		tokens = append(tokens, Token{Text: " | ", Plain: "\t", Kind: Fixed})
	}
	return tokens
}
