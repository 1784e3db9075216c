package markdown

import (
	"strings"

	"github.com/rivo/uniseg"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// maxTableWidth is the maximum width of a table in monospaced columns; a wider one becomes a
// list of its rows.
const maxTableWidth = 76

// alignedTable writes a table with aligned columns at the left margin: as a code block in
// proportional fonts, or as a list of its rows if lines would wrap.
func alignedTable(w *writer, n *east.Table, _, _ string) {
	var head []string
	var rows [][]string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		cells := w.cells(c)
		if _, ok := c.(*east.TableHeader); ok {
			head = cells
			continue
		}
		rows = append(rows, cells)
	}
	widths := columns(head, rows)
	total := 0
	for _, n := range widths {
		total += n + 3
	}
	if total > maxTableWidth && len(rows) > 0 {
		w.records(head, rows)
		return
	}
	line := func(cells []string) string { return align(cells, widths, n.Alignments) }
	f := &Frame{Open: w.d.fence, Close: w.d.fence, Head: []string{w.d.codeLine(line(head)), rule(widths)}, Plain: line(head) + "\n" + rule(widths)}
	if len(rows) == 0 {
		f.Head, f.Plain, rows = nil, "", [][]string{head}
	}
	for _, r := range rows {
		s := line(r)
		w.add("", Line{Tokens: []Token{{Text: w.d.codeLine(s), Plain: s, Kind: Code}}, Frame: f})
	}
}

// cells returns the text of a row's cells.
func (w *writer) cells(row ast.Node) []string {
	var out []string
	for c := row.FirstChild(); c != nil; c = c.NextSibling() {
		plain := Plain(oneLine(w.inlines(c, "")))
		out = append(out, strings.TrimSpace(strings.ReplaceAll(plain, `\|`, "|")))
	}
	return out
}

func columns(head []string, rows [][]string) []int {
	widths := make([]int, len(head))
	for _, r := range append([][]string{head}, rows...) {
		for i, c := range r {
			if i < len(widths) {
				widths[i] = max(widths[i], uniseg.StringWidth(c))
			}
		}
	}
	return widths
}

// align pads cells to their columns' widths; a Hangul syllable counts two.
func align(cells []string, widths []int, as []east.Alignment) string {
	var b strings.Builder
	for i, width := range widths {
		c := ""
		if i < len(cells) {
			c = cells[i]
		}
		if i > 0 {
			b.WriteString(" │ ")
		}
		pad := max(width-uniseg.StringWidth(c), 0)
		left := 0
		switch {
		case i < len(as) && as[i] == east.AlignRight:
			left = pad
		case i < len(as) && as[i] == east.AlignCenter:
			left = pad / 2
		}
		b.WriteString(strings.Repeat(" ", left) + c + strings.Repeat(" ", pad-left))
	}
	return strings.TrimRight(b.String(), " ")
}

func rule(widths []int) string {
	parts := make([]string, len(widths))
	for i, w := range widths {
		parts[i] = strings.Repeat("─", max(w, 1))
	}
	return strings.Join(parts, "─┼─")
}

// records writes each row as a list item with labelled cells.
func (w *writer) records(head []string, rows [][]string) {
	for _, r := range rows {
		prefix := "- "
		for i, c := range r {
			if c == "" && i > 0 {
				continue
			}
			var tokens []Token
			if i < len(head) && head[i] != "" {
				tokens = append(w.words(head[i]+":", string(Bold)), Token{Text: " ", Plain: " "})
			}
			w.gap = i == 0
			w.add(prefix, Line{Tokens: append(tokens, w.words(c, "")...)})
			prefix = "  "
		}
	}
}
