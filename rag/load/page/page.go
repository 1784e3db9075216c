// Package page finds the readable part of a web page: what is left without menus, advertisements and notices about cookies.
// It runs in the child that reads files, see [maru/rag/load].
package page

import (
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Article is the readable part of a page.
type Article struct {
	Node   *html.Node
	Title  string // without the name of the site
	Byline string // who wrote it, "" if the page does not say
}

// least is the shortest article in bytes: what is shorter is more likely a teaser that was taken for the page.
const least = 200

// Find returns the readable part of a page, and whether there is one. doc stays as it is.
func Find(doc *html.Node) (Article, bool) {
	p := readability.NewParser()
	a, err := p.ParseDocument(doc, &url.URL{})
	if err != nil || a.Node == nil {
		return Article{}, false
	}
	var text strings.Builder
	if err := a.RenderText(&text); err != nil || text.Len() < least {
		return Article{}, false
	}
	return Article{Node: a.Node, Title: a.Title(), Byline: strings.TrimSpace(a.Byline())}, true
}

// Deep reports whether tags are nested deeper than most levels. It makes one pass without a tree, because the tree
// builder and what walks it recurse.
func Deep(text string, most int) bool {
	z := html.NewTokenizer(strings.NewReader(text))
	for depth := 0; ; {
		switch z.Next() {
		case html.ErrorToken:
			return false
		case html.StartTagToken:
			name, _ := z.TagName()
			switch atom.Lookup(name) {
			case atom.Br, atom.Img, atom.Hr, atom.Input, atom.Meta, atom.Link, atom.P, atom.Li, atom.Tr, atom.Td, atom.Th, atom.Option, atom.Dt, atom.Dd, atom.Wbr, atom.Col, atom.Source, atom.Area, atom.Base, atom.Embed, atom.Param, atom.Track:
				continue // void, or closed by the next of its kind
			}
			if depth++; depth > most {
				return true
			}
		case html.EndTagToken:
			depth = max(0, depth-1)
		}
	}
}
