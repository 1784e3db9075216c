package markdown

import (
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// elements renders the nodes that goldmark's renderer must not handle.
type elements struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (e elements) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHTMLBlock, e.htmlBlock)
	reg.Register(ast.KindRawHTML, e.rawHTML)
	reg.Register(ast.KindHeading, e.heading)
	reg.Register(ast.KindImage, inside)
	reg.Register(ast.KindLink, inside)
	reg.Register(ast.KindAutoLink, inside)
	reg.Register(kindElement, e.element)
	reg.Register(kindFigure, e.figure)
}

// inside renders only a node's content. [anchors] replaces such nodes; this is the fallback
// for a missed one.
func inside(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkContinue, nil
}

func (elements) htmlBlock(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	b := node.(*ast.HTMLBlock) //nolint:errcheck,forcetypeassert // registered for this kind only
	var s strings.Builder
	for i := range b.Lines().Len() {
		line := b.Lines().At(i)
		s.Write(line.Value(src))
	}
	if b.HasClosure() {
		s.Write(b.ClosureLine.Value(src))
	}
	_, _ = w.WriteString(plainHTML(strings.TrimRight(s.String(), "\n")) + "\n")
	return ast.WalkContinue, nil
}

func (elements) rawHTML(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := node.(*ast.RawHTML).Segments //nolint:errcheck,forcetypeassert // registered for this kind only
		for i := range segments.Len() {
			seg := segments.At(i)
			_, _ = w.WriteString(html.EscapeString(string(seg.Value(src))))
		}
	}
	return ast.WalkSkipChildren, nil
}

// heading lowers headings below the page's own.
func (elements) heading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	level := min(node.(*ast.Heading).Level+2, 6) //nolint:errcheck,forcetypeassert // registered for this kind only
	if entering {
		fmt.Fprintf(w, "<h%d>", level)
	} else {
		fmt.Fprintf(w, "</h%d>\n", level)
	}
	return ast.WalkContinue, nil
}

// element is a citation or link in the page's HTML.
type element struct {
	ast.BaseInline
	before, after string // HTML
}

var kindElement = ast.NewNodeKind("MaruElement")

// Kind implements ast.Node.
func (*element) Kind() ast.NodeKind { return kindElement }

// Dump implements ast.Node.
func (n *element) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

func (elements) element(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*element) //nolint:errcheck,forcetypeassert // registered for this kind only
	if entering {
		_, _ = w.WriteString(n.before)
	} else {
		_, _ = w.WriteString(n.after)
	}
	return ast.WalkContinue, nil
}

// figure is a chart in the page's HTML.
type figure struct {
	ast.BaseBlock
	html string
}

var kindFigure = ast.NewNodeKind("MaruFigure")

// Kind implements ast.Node.
func (*figure) Kind() ast.NodeKind { return kindFigure }

// Dump implements ast.Node.
func (n *figure) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

func (elements) figure(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(node.(*figure).html + "\n") //nolint:errcheck,forcetypeassert // registered for this kind only
	}
	return ast.WalkSkipChildren, nil
}

// charts draws the blocks of charts that can be read.
type charts struct{}

// Transform implements parser.ASTTransformer.
func (charts) Transform(doc *ast.Document, r text.Reader, pc parser.Context) {
	var blocks []*ast.FencedCodeBlock
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker returns no error
		if b, ok := n.(*ast.FencedCodeBlock); ok && entering {
			blocks = append(blocks, b)
		}
		return ast.WalkContinue, nil
	})
	for _, b := range blocks {
		var body []string
		for i := range b.Lines().Len() {
			seg := b.Lines().At(i)
			body = append(body, tighten(string(seg.Value(r.Source()))))
		}
		if c, err := chartOf(string(b.Language(r.Source())), body); err == nil {
			b.Parent().ReplaceChild(b.Parent(), b, &figure{html: pageOf(pc).Chart(c)})
		}
	}
}
