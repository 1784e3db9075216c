package markdown

import (
	"html"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/link"
)

// citations parses "[1]" and "[1, 2]". A number without a source stays text.
type citations struct{}

var (
	citeForm   = regexp.MustCompile(`^\[(\d{1,3}(?:\s?,\s?\d{1,3}){0,9})\]`)
	numberForm = regexp.MustCompile(`\d+`)
)

// Trigger implements parser.InlineParser.
func (citations) Trigger() []byte { return []byte{'['} }

// Parse implements parser.InlineParser.
func (citations) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	line, _ := block.PeekLine()
	m := citeForm.FindSubmatch(line)
	if m == nil || (len(line) > len(m[0]) && line[len(m[0])] == '(') {
		return nil // no citation, or a link's label
	}
	var numbers []int
	for _, num := range numberForm.FindAllString(string(m[1]), -1) {
		n, _ := strconv.Atoi(num) // at most three digits
		numbers = append(numbers, n)
	}
	cite, ok := pageOf(pc).Cite(numbers)
	if !ok {
		return nil
	}
	block.Advance(len(m[0]))
	return &element{before: cite}
}

// anchors replaces links and images by the page's elements.
type anchors struct{}

// Transform implements parser.ASTTransformer.
func (anchors) Transform(doc *ast.Document, reader text.Reader, pc parser.Context) {
	var found []ast.Node
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the walker returns no error
		switch n.Kind() {
		case ast.KindLink, ast.KindImage, ast.KindAutoLink:
			if entering {
				found = append(found, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, n := range found {
		replaceLink(n, reader.Source(), pageOf(pc))
	}
}

// replaceLink replaces n by the page's element with the same text.
func replaceLink(n ast.Node, src []byte, p Page) {
	var dest, before string
	switch l := n.(type) {
	case *ast.Link:
		dest = string(l.Destination)
	case *ast.Image:
		dest, before = string(l.Destination), "🖼 "
	case *ast.AutoLink:
		dest = string(l.URL(src))
		if l.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(dest), "mailto:") {
			dest = "mailto:" + dest
		}
	}
	href, host := WebAddress(dest)
	if auto, ok := n.(*ast.AutoLink); ok {
		label := string(auto.Label(src))
		if before = html.EscapeString(label); strings.Contains(label, host) {
			host = ""
		}
	}
	e := &element{}
	if at, timed := phrase.MomentOf(dest); timed && p.Timed() {
		e.before, e.after = timeTags(at)
	} else {
		e.before, e.after = p.Link(href, host)
	}
	e.before += before
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		e.AppendChild(e, c)
		c = next
	}
	n.Parent().ReplaceChild(n.Parent(), n, e)
}

// WebAddress returns a URL's canonical form and its host, or "" for an invalid one. Spaces
// are allowed, since documents are named after files.
func WebAddress(dest string) (href, host string) {
	dest = strings.ReplaceAll(strings.TrimSpace(fit.Clean(dest)), " ", "%20")
	a, ok := link.Parse(dest)
	if !ok {
		return "", ""
	}
	return a.Canonical(), a.Host
}
