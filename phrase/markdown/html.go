package markdown

import (
	"bytes"
	"html"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"maru/phrase/fit"
)

// Page is what a text is shown on. What its methods return is HTML, so they escape what
// they take from a text.
type Page interface {
	// Cite returns a citation of sources by their numbers; false leaves it as text.
	Cite(numbers []int) (element string, ok bool)
	// Link returns what stands around the words of a link. href is empty where nobody
	// should be led, host where the words show it already.
	Link(href, host string) (before, after string)
}

// maxHTML is the longest text that is read as Markdown, in bytes. What is longer is
// shown as it is written: the worst texts (thousands of nested quotes or unclosed marks)
// take the parser half a second at this length, and four times as long at twice of it.
const maxHTML = 32 << 10

// pages renders HTML that loads nothing, runs nothing and hides nothing. It keeps no
// state between texts.
var pages = goldmark.New(
	goldmark.WithExtensions(
		// An alignment as a style would be against the page's own policy.
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		strikethrough{}, extension.TaskList,
		extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"}))),
	goldmark.WithParserOptions(
		parser.WithInlineParsers(util.Prioritized(citations{}, 50)), // before links
		parser.WithASTTransformers(util.Prioritized(anchors{}, 900), util.Prioritized(directions{}, 950)),
	),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(elements{}, 50))),
)

// pageKey finds the page in a parser's context.
var pageKey = parser.NewContextKey()

// pageOf returns the page a text is parsed for; there always is one.
func pageOf(pc parser.Context) Page {
	p, _ := pc.Get(pageKey).(Page)
	return p
}

// HTML renders src for a page: raw HTML is shown as text, and images become links. It
// never fails; what cannot be read as Markdown is shown as plain text.
func HTML(src string, p Page) (out string) {
	src = fit.Clean(src)
	defer func() {
		// The parser is somebody else's, the text anybody's.
		if recover() != nil {
			out = plainHTML(src)
		}
	}()
	if len(src) > maxHTML {
		return plainHTML(src)
	}
	pc := parser.NewContext()
	pc.Set(pageKey, p)
	var b bytes.Buffer
	if err := pages.Convert([]byte(loosen(src)), &b, parser.WithContext(pc)); err != nil {
		return plainHTML(src)
	}
	return tighten(fit.Clean(b.String())) // once more: "&#8238;" hides what the first cleaning looked for
}

func plainHTML(src string) string { return `<p class="plain">` + html.EscapeString(src) + `</p>` }

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
