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

	"maru/phrase"
	"maru/phrase/chart"
	"maru/phrase/fit"
)

// Page is the context of a rendered text. Its methods return HTML, so they must escape text
// that they include.
type Page interface {
	// Cite returns the citation of sources by number; false leaves it as text.
	Cite(numbers []int) (element string, ok bool)
	// Link returns the HTML around a link's label. href is empty for an invalid target, host
	// if the label already shows it.
	Link(href, host string) (before, after string)
	// Timed reports whether moments ([phrase.Timed]) are times: in the bot's own texts.
	Timed() bool
	// Chart returns a drawing.
	Chart(c chart.Chart) string
}

// maxHTML is the maximum length of Markdown in bytes; a longer text is shown as plain text:
// the worst input (thousands of nested quotes or unclosed marks) takes half a second at this
// length, and four times as long at twice of it.
const maxHTML = 32 << 10

// pages renders HTML that loads nothing, runs nothing and hides nothing. It is stateless.
var pages = goldmark.New(
	goldmark.WithExtensions(
		// A style attribute would violate the page's Content-Security-Policy.
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		strikethrough{}, extension.TaskList,
		extension.NewLinkify(extension.WithLinkifyAllowedProtocols([]string{"http:", "https:"}))),
	goldmark.WithParserOptions(
		parser.WithInlineParsers(util.Prioritized(citations{}, 50)), // before links
		parser.WithASTTransformers(util.Prioritized(anchors{}, 900), util.Prioritized(directions{}, 950), util.Prioritized(charts{}, 960)),
	),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(elements{}, 50))),
)

// pageKey is the page's key in a parser context.
var pageKey = parser.NewContextKey()

// pageOf returns the page of a parser context; it is always set.
func pageOf(pc parser.Context) Page {
	p, _ := pc.Get(pageKey).(Page)
	return p
}

// HTML renders src for a page: raw HTML is shown as text, and images become links. It never
// fails; unparsable Markdown is shown as plain text.
func HTML(src string, p Page) (out string) {
	if p.Timed() {
		src = phrase.KeepMoments(src, fit.Clean)
	} else {
		src = fit.Clean(src)
	}
	defer func() {
		// The parser is third-party code, and its input untrusted.
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
	return tighten(fit.Clean(b.String())) // again: entities such as "&#8238;" bypass the first cleaning
}

func plainHTML(src string) string {
	return `<p class="plain">` + html.EscapeString(phrase.MomentWords(src)) + `</p>`
}

// directions sets the text direction of lists and quotes from their content; the stylesheet
// does so for paragraphs.
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
