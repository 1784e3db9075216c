package web

import (
	"bytes"
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"maru/phrase/fit"
	mark "maru/phrase/markdown"
)

// maxMarkdown is the longest text that is read as Markdown, in bytes. What is
// longer is shown as it is written: the worst texts (thousands of nested quotes
// or unclosed marks) take the parser half a second at this length, and four
// times as long at twice of it.
const maxMarkdown = 32 << 10

// markdown renders a model's or a person's Markdown into HTML that loads
// nothing, runs nothing and hides nothing: raw HTML is shown as text, images
// become links, and a link to where no source pointed must be confirmed.
type markdown struct{ md goldmark.Markdown }

func newMarkdown() markdown {
	return markdown{goldmark.New(
		goldmark.WithExtensions(
			// An alignment as a style would be against the page's own policy.
			extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
			extension.Strikethrough, extension.TaskList,
			extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"}))),
		goldmark.WithParserOptions(
			parser.WithInlineParsers(util.Prioritized(citeParser{}, 50)), // before links
			parser.WithASTTransformers(util.Prioritized(linkTransformer{}, 900), util.Prioritized(directions{}, 950)),
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(nodes{}, 50))),
	)}
}

// surroundings is what a text needs to know for its citations and links.
type surroundings struct {
	lang  string
	cites map[int]cite    // by number
	known map[string]bool // addresses that sources gave
}

var surroundingsKey = parser.NewContextKey()

func surroundingsOf(pc parser.Context) surroundings {
	s, _ := pc.Get(surroundingsKey).(surroundings)
	return s
}

// html renders src. It never fails: what cannot be read as Markdown is shown as
// plain text.
func (m markdown) html(src string, s surroundings) (out template.HTML) {
	src = fit.Clean(src)
	defer func() {
		// The parser is somebody else's, the text anybody's.
		if recover() != nil {
			out = plain(src)
		}
	}()
	if len(src) > maxMarkdown {
		return plain(src)
	}
	pc := parser.NewContext()
	pc.Set(surroundingsKey, s)
	var b bytes.Buffer
	if err := m.md.Convert([]byte(mark.Loosen(src)), &b, parser.WithContext(pc)); err != nil {
		return plain(src)
	}
	// Once more: "&#8238;" hides what the first cleaning looked for.
	return template.HTML(mark.Tighten(fit.Clean(b.String()))) //nolint:gosec // G203: every node that could carry HTML is escaped by nodes
}

// directions lets a list and a quotation stand on the side on which its words begin;
// single paragraphs are told so by the stylesheet.
type directions struct{}

// Transform implements parser.ASTTransformer.
func (directions) Transform(doc *ast.Document, _ text.Reader, _ parser.Context) {
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker returns no error
		if entering && (n.Kind() == ast.KindList || n.Kind() == ast.KindBlockquote) {
			n.SetAttributeString("dir", []byte("auto"))
		}
		return ast.WalkContinue, nil
	})
}

func plain(src string) template.HTML {
	return template.HTML(`<p class="plain">` + template.HTMLEscapeString(src) + `</p>`) //nolint:gosec // G203: escaped
}

// nodes renders what must not be rendered as it stands.
type nodes struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (n nodes) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHTMLBlock, n.htmlBlock)
	reg.Register(ast.KindRawHTML, n.rawHTML)
	reg.Register(ast.KindHeading, n.heading)
	reg.Register(ast.KindImage, skip)
	reg.Register(ast.KindLink, skip)
	reg.Register(ast.KindAutoLink, skip)
	reg.Register(kindAnchor, n.anchor)
	reg.Register(kindCite, n.cite)
}

// skip renders only what is inside; the transformer has replaced such nodes, so
// that it is the answer to one it has missed.
func skip(util.BufWriter, []byte, ast.Node, bool) (ast.WalkStatus, error) {
	return ast.WalkContinue, nil
}

func (nodes) htmlBlock(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
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
	fmt.Fprintf(w, "<p class=\"plain\">%s</p>\n", template.HTMLEscapeString(strings.TrimRight(s.String(), "\n")))
	return ast.WalkContinue, nil
}

func (nodes) rawHTML(w util.BufWriter, src []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := node.(*ast.RawHTML).Segments //nolint:errcheck,forcetypeassert // registered for this kind only
		for i := range segments.Len() {
			seg := segments.At(i)
			template.HTMLEscape(w, seg.Value(src))
		}
	}
	return ast.WalkSkipChildren, nil
}

// heading moves headings below those of the page.
func (nodes) heading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	level := min(node.(*ast.Heading).Level+2, 6) //nolint:errcheck,forcetypeassert // registered for this kind only
	if entering {
		fmt.Fprintf(w, "<h%d>", level)
	} else {
		fmt.Fprintf(w, "</h%d>\n", level)
	}
	return ast.WalkContinue, nil
}
