package slack

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
	group  int    // number of the outermost block it belongs to
	gap    bool   // a new block: the best place to break
	fence  *fence // the code block it is in
	table  *table // the table it is a row of
}

// tok is a word, a space, or something that is not cut: a link, a code span.
type tok struct {
	s     string
	plain string // as it reads without markup
	marks string // emphasis around it, one letter a mark, outermost first
	code  bool   // a code span, which may be cut into two
	url   string // of a link
	name  string // the words that a link shows
}

// fence is a code block.
type fence struct {
	open, close string
}

// table is a table's first two lines, which every part of it repeats.
type table struct {
	head  []string
	plain string
}

// writer turns Markdown into lines.
type writer struct {
	src   []byte
	known map[string]bool // addresses of the answer's sources
	out   []line
	group int
	gap   bool
}

// parseMarkdown reads CommonMark with tables, strikethrough and task lists, and
// returns it as normalised lines in which every mention, link and bracket is
// safe. Raw HTML is text, images are links.
func parseMarkdown(src string, known map[string]bool) []line {
	src = markdown.Loosen(fit.Clean(src))
	w := &writer{src: []byte(src), known: known}
	if markdown.Tangled(src) {
		return w.verbatim(src)
	}
	doc := markdown.Parse(w.src)
	for n := doc.FirstChild(); n != nil; n = n.NextSibling() {
		if _, ok := n.(*ast.LinkReferenceDefinition); ok {
			continue
		}
		w.group++
		w.gap = len(w.out) > 0
		w.block(n, "", "")
	}
	return w.out
}

// verbatim writes a text as words, without reading any markup in it.
func (w *writer) verbatim(src string) []line {
	for l := range strings.Lines(src) {
		l = strings.TrimSpace(markdown.Tighten(l))
		if l == "" {
			w.group++
			w.gap = true
			continue
		}
		w.add("", line{toks: guard(w.textTokens(escapeLabel(l), ""))})
	}
	return w.out
}

// add appends a line; the first of a block takes the prefix head (with a list's
// marker), all others rest.
func (w *writer) add(prefix string, l line) {
	l.prefix, l.group, l.gap = prefix, w.group, w.gap
	w.gap = false
	w.out = append(w.out, l)
}

// maxDepth bounds nesting: a line of a thousand ">" is text for a machine.
const maxDepth = 12

// block writes a block; head prefixes its first line, rest the others.
func (w *writer) block(n ast.Node, head, rest string) {
	if len(rest) > 4*maxDepth {
		w.rawLines(n, head, rest)
		return
	}
	switch n := n.(type) {
	case *ast.Paragraph, *ast.TextBlock:
		w.inlineBlock(n, head, rest, "")
	case *ast.Heading:
		w.inlineBlock(n, head, rest, strings.Repeat("#", n.Level)+" ")
	case *ast.ThematicBreak:
		w.add(head, line{toks: words("---")})
	case *ast.FencedCodeBlock:
		w.code(n, head, rest, string(n.Language(w.src)))
	case *ast.CodeBlock:
		w.code(n, head, rest, "")
	case *ast.Blockquote:
		w.children(n, head+"> ", rest+"> ")
	case *ast.List:
		w.list(n, head, rest)
	case *east.Table:
		w.table(n, head, rest)
	case *ast.LinkReferenceDefinition:
		// it is in the links that use it
	default:
		w.rawLines(n, head, rest)
	}
}

// blockStart is what would make a line of a paragraph begin something else.
var blockStart = regexp.MustCompile("^\\s*(#{1,6}(\\s|$)|=+\\s*$|-{1,}\\s*$|([-+*]\\s*){3,}$|[-+*](\\s|$)|[0-9]{1,9}[.)](\\s|$)|`{3,}|~{3,}|_{3,}\\s*$|\\||\\[[^\\]]+\\]:)")

// guard keeps the words of a line that is not the first of its paragraph from
// being read as the start of a block.
func guard(toks []tok) []tok {
	if len(toks) == 0 || toks[0].code || toks[0].marks != "" {
		return toks
	}
	s := strings.TrimLeft(toks[0].s, " ")
	rest := ""
	if len(toks) > 1 {
		rest = toks[1].s
	}
	m := blockStart.FindString(s)
	if m == "" || rest != "" && blockStart.FindString(s+rest) == "" {
		return toks
	}
	out := append([]tok(nil), toks...)
	if i := strings.IndexAny(m, ".)"); i > 0 {
		out[0].s = s[:i] + "\\" + s[i:]
	} else {
		out[0].s = strings.NewReplacer("`", "\\`", "~", "\\~").Replace(m) + s[len(m):]
		if out[0].s == s {
			out[0].s = "\\" + s
		}
	}
	return out
}

// children writes the blocks inside a container.
func (w *writer) children(n ast.Node, head, rest string) {
	if n.FirstChild() == nil {
		w.add(strings.TrimRight(head, " "), line{})
		return
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c != n.FirstChild() {
			_, tight := c.(*ast.List)
			if _, isText := c.PreviousSibling().(*ast.TextBlock); !tight || !isText {
				w.add(strings.TrimRight(rest, " "), line{})
			}
		}
		w.block(c, head, rest)
		head = rest
	}
}

func (w *writer) list(n *ast.List, head, rest string) {
	num := n.Start
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		marker := "- "
		if n.IsOrdered() {
			marker = strconv.Itoa(num) + ". "
			num++
		}
		if c != n.FirstChild() {
			if !n.IsTight {
				w.add(strings.TrimRight(rest, " "), line{})
			}
			w.gap = true
		}
		w.children(c, head+marker, rest+strings.Repeat(" ", len(marker)))
		head = rest
	}
}

var language = regexp.MustCompile(`^[A-Za-z0-9_+#.-]{1,30}`)

// code writes a code block, fenced by more backticks than it contains.
func (w *writer) code(n ast.Node, head, rest, lang string) {
	ls := n.Lines()
	longest := 2
	var body []string
	for i := range ls.Len() {
		seg := ls.At(i)
		t := strings.TrimRight(strings.ReplaceAll(markdown.Tighten(string(seg.Value(w.src))), "\t", "    "), "\n")
		longest = max(longest, longestRun(t, '`'))
		body = append(body, t)
	}
	ticks := strings.Repeat("`", longest+1)
	f := &fence{open: ticks + language.FindString(lang), close: ticks}
	if len(body) == 0 {
		body = []string{""}
	}
	for i, t := range body {
		p := rest
		if i == 0 {
			p = head
		}
		w.add(p, line{toks: []tok{{s: escapeCode(t), plain: t}}, fence: f})
	}
}

func longestRun(s string, c byte) int {
	best, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		best = max(best, run)
	}
	return best
}

// rawLines writes a block's source as text: HTML, and what is nested too deep.
func (w *writer) rawLines(n ast.Node, head, rest string) {
	if n.Type() != ast.TypeBlock {
		return
	}
	ls := n.Lines()
	if ls == nil || ls.Len() == 0 {
		if n.FirstChild() != nil && n.FirstChild().Type() == ast.TypeBlock {
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				w.rawLines(c, head, rest)
				head = rest
			}
		}
		return
	}
	for i := range ls.Len() {
		seg := ls.At(i)
		t := strings.TrimSpace(string(seg.Value(w.src)))
		if t == "" && i == ls.Len()-1 {
			continue
		}
		w.add(head, line{toks: guard(w.textTokens(escapeLabel(t), ""))})
		head = rest
	}
}

// inlineBlock writes a paragraph or heading.
func (w *writer) inlineBlock(n ast.Node, head, rest, lead string) {
	toks := w.inlines(n, "")
	first := true
	for len(toks) > 0 || first {
		end := len(toks)
		for i, t := range toks {
			if t.s == "\n" {
				end = i
				break
			}
		}
		l := line{toks: toks[:end:end]}
		if first && lead != "" {
			l.toks = append([]tok{{s: lead}}, l.toks...)
		}
		if first {
			w.add(head, l)
		} else {
			l.toks = guard(l.toks)
			w.add(rest, l)
		}
		first = false
		toks = toks[min(end+1, len(toks)):]
	}
}

// table writes a table's rows; its head is repeated in every part.
func (w *writer) table(n *east.Table, head, rest string) {
	t := &table{}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		row := w.row(c)
		if _, ok := c.(*east.TableHeader); ok {
			t.plain = clip(plainTokens(row), maxSection)
			t.head = []string{strings.TrimRight(clip(tokensString(row), maxSection), " "), delimiter(n.Alignments)}
			continue
		}
		w.add(first2s(head, rest, t), line{toks: row, table: t})
		head = rest
	}
	if last := len(w.out) - 1; last < 0 || w.out[last].table != t {
		w.add(head, line{table: t}) // a table of nothing but its head
	}
}

func first2s(head, rest string, t *table) string {
	if len(t.head) > 0 {
		return head
	}
	return rest
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

// row writes a row's cells with the bars between them.
func (w *writer) row(n ast.Node) []tok {
	toks := []tok{{s: "| ", plain: ""}}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		for _, t := range w.inlines(c, "") {
			if t.s == "\n" {
				t = tok{s: " ", plain: " "}
			}
			t.s = escapeBars(t.s)
			toks = append(toks, t)
		}
		toks = append(toks, tok{s: " | ", plain: "\t"})
	}
	return toks
}

var bar = regexp.MustCompile(`\\?\|`)

func escapeBars(s string) string { return bar.ReplaceAllString(s, `\|`) }
