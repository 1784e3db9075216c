package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"maru/phrase"
)

// writer converts Markdown to lines.
type writer struct {
	d     *Dialect
	src   []byte
	known map[string]bool // URLs of the answer's sources
	out   []Line
	group int
	gap   bool
	blank bool
	above string // prefix of the pending blank line
}

// maxDepth bounds nesting: deeper text is written verbatim.
const maxDepth = 10

// Lines parses CommonMark with tables, strikethrough and task lists into lines of the
// dialect, with every mention, link and bracket escaped. Raw HTML is text, images are links.
// Links to known URLs show only their label, others also their host.
func (d *Dialect) Lines(src string, known map[string]bool) []Line {
	src = loosen(d.clean(src))
	w := &writer{d: d, src: []byte(src), known: known}
	if tangled(src) {
		w.verbatim(src)
		return w.out
	}
	doc := parse(w.src)
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if _, ok := n.(*ast.LinkReferenceDefinition); ok {
			continue // links that use it include the URL
		}
		w.group++
		w.separate(n, "")
		w.block(n, "", "", 0)
	}
	return w.out
}

// Words returns plain text as tokens without markup.
func (d *Dialect) Words(s, marks string) (out []Token) {
	w := &writer{d: d}
	if !d.timed {
		return w.words(s, marks)
	}
	for piece, at := range phrase.Moments(s) {
		if at != 0 {
			out = append(out, w.moment(at, piece, marks))
		} else {
			out = append(out, w.words(piece, marks)...)
		}
	}
	return out
}

// verbatim writes a text without parsing it.
func (w *writer) verbatim(src string) {
	for l := range strings.Lines(src) {
		if l = strings.TrimSpace(l); l == "" {
			w.group++
			w.gap, w.blank = true, true
			continue
		}
		w.paragraph(w.d.Words(l, ""), "", "", false)
	}
}

// add appends a line.
func (w *writer) add(prefix string, l Line) {
	l.Prefix, l.Group, l.Gap = prefix, w.group, w.gap
	if w.blank && len(w.out) > 0 {
		l.Blank, l.above = true, w.above
	}
	w.gap, w.blank, w.above = false, false, ""
	w.out = append(w.out, l)
}

// separate sets the separation of block n from the previous one; prefix is that of their
// shared containers.
func (w *writer) separate(n ast.Node, prefix string) {
	w.gap = true
	if prev := n.PreviousSibling(); prev != nil {
		w.blank, w.above = w.d.between(prev, n), strings.TrimRight(prefix, " ")
	}
}

// blocks writes the blocks in n; head prefixes the first line, rest all others.
func (w *writer) blocks(n ast.Node, head, rest string, depth int) {
	if n.FirstChild() == nil {
		w.gap = true
		w.add(strings.TrimRight(head, " "), Line{})
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.separate(c, rest)
		w.block(c, head, rest, depth)
		head = rest
	}
}

func (w *writer) block(n ast.Node, head, rest string, depth int) {
	if depth > maxDepth {
		w.rawLines(n, head, rest)
		return
	}
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		w.paragraph(w.inlines(n, ""), head, rest, true)
	case *ast.Heading:
		w.heading(n, head, rest)
	case *ast.ThematicBreak:
		w.add(head, Line{Tokens: []Token{Own(w.d.rule)}})
	case *ast.FencedCodeBlock:
		w.code(n, head, rest, string(n.Language(w.src)))
	case *ast.CodeBlock:
		w.code(n, head, rest, "")
	case *ast.Blockquote:
		if w.d.quotes || !strings.HasPrefix(rest, "> ") {
			head, rest = nest(head, rest, w.d.quotes)
		}
		w.blocks(n, head, rest, depth+1)
	case *ast.List:
		w.list(n, head, rest, depth)
	case *east.Table:
		w.d.table(w, n, head, rest)
	case *ast.LinkReferenceDefinition: // links that use it include the URL
	default:
		w.rawLines(n, head, rest)
	}
}

// nest adds a quotation's mark: innermost where quotes nest, else at the margin.
func nest(head, rest string, inner bool) (string, string) {
	if inner {
		return head + "> ", rest + "> "
	}
	return "> " + head, "> " + rest
}

// heading writes a heading in one line.
func (w *writer) heading(n *ast.Heading, head, rest string) {
	lead, marks := w.d.headings(n.Level, strings.TrimLeft(head, " ") != "")
	tokens := w.inlines(n, marks)
	if lead == "" {
		w.paragraph(tokens, head, rest, true)
		return
	}
	w.add(head, Line{Tokens: append([]Token{{Text: lead, Kind: Fixed}}, oneLine(tokens)...)})
}

func (w *writer) list(n *ast.List, head, rest string, depth int) {
	num := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		marker := "- "
		if n.IsOrdered() {
			marker = strconv.Itoa(num) + ". "
			num++
		}
		if c != n.FirstChild() && w.d.loose && !n.IsTight {
			w.blank, w.above = true, strings.TrimRight(rest, " ")
		}
		w.blocks(c, head+marker, rest+strings.Repeat(" ", len(marker)), depth+1)
		head = rest
	}
}

// paragraph writes a paragraph line by line. marked means that the first line starts a block
// in the source and needs no escape.
func (w *writer) paragraph(tokens []Token, head, rest string, marked bool) {
	for begins := true; begins || len(tokens) > 0; begins = false {
		end := len(tokens)
		for i, t := range tokens {
			if t.Kind == Break {
				end = i
				break
			}
		}
		w.add(head, Line{Tokens: w.d.start(tokens[:end:end], begins && marked)})
		head = rest
		tokens = tokens[min(end+1, len(tokens)):]
	}
}

// rawLines writes a block's source as text: HTML, and too deeply nested blocks.
func (w *writer) rawLines(n ast.Node, head, rest string) {
	if n.Type() != ast.TypeBlock {
		return
	}
	if ls := n.Lines(); ls != nil {
		for i := range ls.Len() {
			seg := ls.At(i)
			t := strings.TrimSpace(string(seg.Value(w.src)))
			if t == "" {
				w.blank, w.above = true, strings.TrimRight(rest, " ")
				continue
			}
			w.paragraph(w.d.Words(t, ""), head, rest, false)
			head = rest
		}
	}
	for c := n.FirstChild(); c != nil && c.Type() == ast.TypeBlock; c = c.NextSibling() {
		w.rawLines(c, head, rest)
		head = rest
	}
}
