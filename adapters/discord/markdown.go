package discord

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// line is one line of an answer, with all that must be repeated when a message
// ends before it and another begins with it.
type line struct {
	prefix string // of the containers it stands in: "> ", "  "
	toks   []tok  // its words
	gap    bool   // a new block: the best place to break
	blank  bool   // an empty line before it
	fence  *fence // the code block it is in
}

// tok is a word with the spaces after it, or something that is not cut: a link,
// a code span.
type tok struct {
	s     string // as it is sent, without emphasis
	plain string // as it reads without markup
	marks string // emphasis around it, one letter a mark, outermost first
	kind  tokKind
}

type tokKind int

const (
	tokWord  tokKind = iota
	tokCode          // a code span
	tokLink          // a link
	tokBreak         // ends the line
	tokFixed         // the adapter's own markup
)

// fence is a code block; head stands at the top of each of its parts.
type fence struct {
	lang string
	head []string
}

// writer turns Markdown into lines.
type writer struct {
	src   []byte
	known map[string]bool // addresses of the answer's sources
	out   []line
	gap   bool
	blank bool
}

// maxDepth bounds nesting: a line of a thousand ">" is text for a machine.
const maxDepth = 10

// parseMarkdown reads CommonMark with tables, strikethrough and task lists, and
// returns it as lines of Discord's Markdown in which every mention, link and
// bracket is safe. Raw HTML is text, images are links, tables are code blocks.
func parseMarkdown(src string, known map[string]bool) []line {
	src = markdown.Loosen(fit.Clean(src))
	w := &writer{src: []byte(src), known: known}
	if markdown.Tangled(src) {
		w.verbatim(src)
	} else {
		w.blocks(markdown.Parse(w.src), "", "", 0)
	}
	return w.out
}

// verbatim writes a text as words, without reading any markup in it.
func (w *writer) verbatim(src string) {
	for l := range strings.Lines(src) {
		if l = strings.TrimSpace(l); l == "" {
			w.gap, w.blank = true, true
			continue
		}
		w.paragraph(w.words(l, ""), "", "")
	}
}

// add appends a line. The first line of a block may be preceded by an empty one.
func (w *writer) add(prefix string, l line) {
	l.prefix, l.gap = prefix, w.gap
	l.blank = w.blank && len(w.out) > 0
	w.gap, w.blank = false, false
	w.out = append(w.out, l)
}

// blocks writes the blocks in n; head prefixes the first line, rest all others.
func (w *writer) blocks(n ast.Node, head, rest string, depth int) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		w.gap = true
		if c != n.FirstChild() {
			w.blank = separate(c)
		}
		w.block(c, head, rest, depth)
		head = rest
	}
}

// separate reports whether an empty line stands before block c.
func separate(c ast.Node) bool {
	if _, ok := c.(*ast.List); ok {
		_, tight := c.PreviousSibling().(*ast.TextBlock)
		_, after := c.PreviousSibling().(*ast.Paragraph)
		return !tight && !after
	}
	if _, ok := c.PreviousSibling().(*ast.Heading); ok {
		return false
	}
	return true
}

func (w *writer) block(n ast.Node, head, rest string, depth int) {
	if depth > maxDepth {
		w.rawLines(n, head, rest)
		return
	}
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		w.paragraph(w.inlines(n, ""), head, rest)
	case *ast.Heading:
		w.heading(n, head, rest)
	case *ast.ThematicBreak:
		w.add(head, line{toks: fixed("――――――")})
	case *ast.FencedCodeBlock:
		w.code(n, string(n.Language(w.src)))
	case *ast.CodeBlock:
		w.code(n, "")
	case *ast.Blockquote:
		w.quote(n, head, rest, depth)
	case *ast.List:
		w.list(n, head, rest, depth)
	case *east.Table:
		w.table(n)
	case *ast.LinkReferenceDefinition: // its links carry the address
	default:
		w.rawLines(n, head, rest)
	}
}

// heading writes levels 1 to 3 as they are; Discord knows no others, and none in
// a list.
func (w *writer) heading(n *ast.Heading, head, rest string) {
	if n.Level > 3 || head != "" && strings.TrimLeft(head, " ") != "" {
		w.paragraph(w.inlines(n, "s"), head, rest)
		return
	}
	toks := append(fixed(strings.Repeat("#", n.Level)+" "), joinLines(w.inlines(n, ""))...)
	w.add(head, line{toks: toks})
}

// quote writes a block quote; Discord has them one deep.
func (w *writer) quote(n ast.Node, head, rest string, depth int) {
	if !strings.HasPrefix(rest, "> ") {
		head, rest = "> "+head, "> "+rest
	}
	w.blocks(n, head, rest, depth+1)
}

func (w *writer) list(n *ast.List, head, rest string, depth int) {
	num := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		marker := "- "
		if n.IsOrdered() {
			marker = strconv.Itoa(num) + ". "
			num++
		}
		if c != n.FirstChild() {
			w.gap = true
		}
		if c.FirstChild() == nil {
			w.add(head+strings.TrimRight(marker, " "), line{})
		}
		w.blocks(c, head+marker, rest+strings.Repeat(" ", len(marker)), depth+1)
		head = rest
	}
}

// paragraph writes words, one line for each of theirs.
func (w *writer) paragraph(toks []tok, head, rest string) {
	for first := true; first || len(toks) > 0; first = false {
		end := len(toks)
		for i, t := range toks {
			if t.kind == tokBreak {
				end = i
				break
			}
		}
		l := toks[:end:end]
		if len(l) > 0 && l[0].kind == tokWord && l[0].marks == "" {
			l = append([]tok(nil), l...)
			l[0].s = startOf(l)
		}
		w.add(head, line{toks: l})
		head = rest
		toks = toks[min(end+1, len(toks)):]
	}
}

// startOf escapes the first word of a line if the line would begin a block.
func startOf(toks []tok) string {
	s := toks[0].s
	if len(toks) > 1 && !strings.HasSuffix(s, " ") {
		return s
	}
	if strings.HasSuffix(s, " ") {
		return escapeStart(s)
	}
	return strings.TrimSuffix(escapeStart(s+" "), " ")
}

// joinLines makes one line of several.
func joinLines(toks []tok) []tok {
	out := make([]tok, 0, len(toks))
	for _, t := range toks {
		if t.kind == tokBreak {
			t = tok{s: " ", plain: " ", marks: t.marks}
		}
		out = append(out, t)
	}
	return out
}

func fixed(s string) []tok { return []tok{{s: s, plain: s, kind: tokFixed}} }

var language = regexp.MustCompile(`^[A-Za-z0-9_+#.-]{1,30}`)

// code writes a code block, at the left margin: Discord shows fences in lists
// and quotes poorly.
func (w *writer) code(n ast.Node, lang string) {
	f := &fence{lang: language.FindString(lang)}
	ls := n.Lines()
	for i := range ls.Len() {
		seg := ls.At(i)
		t := strings.TrimRight(strings.ReplaceAll(markdown.Tighten(string(seg.Value(w.src))), "\t", "    "), "\n")
		w.add("", line{toks: []tok{{s: codeText(t), plain: t}}, fence: f})
	}
	if ls.Len() == 0 {
		w.add("", line{toks: []tok{{s: " ", plain: ""}}, fence: f})
	}
}

// rawLines writes a block's source as text: HTML, and what is nested too deep.
func (w *writer) rawLines(n ast.Node, head, rest string) {
	if n.Type() != ast.TypeBlock {
		return
	}
	if ls := n.Lines(); ls != nil {
		for i := range ls.Len() {
			seg := ls.At(i)
			t := strings.TrimSpace(string(seg.Value(w.src)))
			if t == "" {
				continue
			}
			w.paragraph(w.words(t, ""), head, rest)
			head = rest
		}
	}
	for c := n.FirstChild(); c != nil && c.Type() == ast.TypeBlock; c = c.NextSibling() {
		w.rawLines(c, head, rest)
		head = rest
	}
}
