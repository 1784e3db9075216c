package markdown

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"maru/phrase/fit"
)

// openGrammar is [grammar] without the constructs that hide words: link targets and titles, link reference definitions,
// comments and tags. It is stateless.
var openGrammar = goldmark.New(
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100), util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300), util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500), util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700), util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100), util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500)))),
	goldmark.WithExtensions(extension.Table, strikethrough{}))

// ownLanguage is the language of code blocks that the bot writes itself.
const ownLanguage = "json"

// Reveal rewrites Markdown so that all its words can be read on every surface: links, images, definitions, comments, tags
// and entities are shown as written. Where that is not possible, the whole text is ([fit.Literal]). A code block ends with
// the text.
func Reveal(src string) string {
	if tangled(src) {
		return fit.Literal(src)
	}
	if _, fence := lastBlock(src); fence != "" {
		src = strings.TrimRight(src, "\n") + "\n" + fence
	}
	r := revealer{src: []byte(src)}
	doc := openGrammar.Parser().Parse(text.NewReader(r.src))
	if err := ast.Walk(doc, r.node); err != nil {
		return fit.Literal(src)
	}
	return r.text()
}

// revealer collects the places at which a backslash goes into the source.
type revealer struct {
	src []byte
	at  []int
}

func (r *revealer) text() string {
	slices.Sort(r.at)
	var b strings.Builder
	from := 0
	for _, at := range slices.Compact(r.at) {
		b.Write(r.src[from:at])
		b.WriteByte('\\')
		from = at
	}
	b.Write(r.src[from:])
	return b.String()
}

// errHidden reports a construct whose words only the source shows.
var errHidden = errors.New("markdown: words are hidden")

// node implements ast.Walker.
func (r *revealer) node(n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		if n.Info != nil && string(n.Info.Value(r.src)) != ownLanguage {
			return ast.WalkStop, errHidden
		}
		return ast.WalkSkipChildren, nil
	case *ast.CodeSpan, *ast.CodeBlock:
		return ast.WalkSkipChildren, nil
	case *east.Strikethrough: // a page of plain text shows struck words as others
		return ast.WalkStop, errHidden
	case *ast.List:
		if !r.counts(n) {
			return ast.WalkStop, errHidden
		}
	case *east.Table:
		if !r.wholeRows(n) {
			return ast.WalkStop, errHidden
		}
	case *ast.Text:
		r.escape(n.Segment.Start, n.Segment.Stop)
	}
	return ast.WalkContinue, nil
}

// escape escapes what begins a link, a tag or an entity between two places.
func (r *revealer) escape(from, to int) {
	entities := map[int]bool{}
	for _, at := range entityLike.FindAllStringIndex(string(r.src[from:to]), -1) {
		entities[from+at[0]] = true
	}
	for i := from; i < to; i++ {
		switch c := r.src[i]; {
		case c == '\\':
			i++
		case c == '[', c == '<', entities[i]:
			r.at = append(r.at, i)
		}
	}
}

// counts reports whether the numbers of a list are those that surfaces show: counted from the first.
func (r *revealer) counts(n *ast.List) bool {
	if !n.IsOrdered() {
		return true
	}
	want := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		first := item.FirstChild()
		if first == nil || first.Lines() == nil || first.Lines().Len() == 0 {
			return false
		}
		before := strings.TrimRight(string(r.src[:first.Lines().At(0).Start]), " \t")
		digits := strings.TrimRight(before, ".)")
		if !strings.HasSuffix(digits, strconv.Itoa(want)) {
			return false
		}
		if lead := strings.TrimSuffix(digits, strconv.Itoa(want)); lead != strings.TrimRight(lead, "0123456789") {
			return false
		}
		want++
	}
	return true
}

// wholeRows reports whether no row of a table has more cells than its head: surfaces leave them out.
func (r *revealer) wholeRows(n *east.Table) bool {
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		last := row.LastChild()
		if last == nil || last.Lines() == nil || last.Lines().Len() == 0 {
			continue
		}
		end := last.Lines().At(last.Lines().Len() - 1).Stop
		rest, _, _ := strings.Cut(string(r.src[end:]), "\n")
		if strings.Trim(rest, " \t|") != "" {
			return false
		}
	}
	return true
}
