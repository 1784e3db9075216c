package load

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"maru/rag/load/numfmt"
)

// contentOf selects a page's content: its head, and its marked main part if not empty, else all of it.
func contentOf(doc *html.Node) []*html.Node {
	var head, main []*html.Node
	var visit func(*html.Node, int)
	visit = func(n *html.Node, depth int) {
		if depth > 4*maxHTMLDepth || hidden(n) {
			return
		}
		switch {
		case n.DataAtom == atom.Head:
			head = append(head, n)
			return
		case n.DataAtom == atom.Main, attribute(n, "role") == "main":
			if strings.TrimSpace(textOf(n, depth)) != "" {
				main = append(main, n)
			}
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c, depth+1)
		}
	}
	visit(doc, 0)
	if len(main) == 0 {
		return []*html.Node{doc}
	}
	return append(head, main...)
}

// roles are ARIA roles of page furniture.
var roles = map[string]bool{
	"navigation": true, "search": true, "contentinfo": true, "menu": true, "menubar": true, "toolbar": true, "dialog": true, "alertdialog": true,
}

// furniture reports whether a node is a repeated part of a site, such as a menu, a page footer or a list in a
// header. Headers and footers of an article are content.
func furniture(n *html.Node) bool {
	if roles[attribute(n, "role")] {
		return true
	}
	switch n.DataAtom {
	case atom.Footer:
		return ofPage(n)
	case atom.Ul:
		for p := n.Parent; p != nil; p = p.Parent {
			if p.DataAtom == atom.Header {
				return ofPage(p)
			}
		}
	}
	return false
}

// ofPage reports whether a header or footer belongs to the page rather than to a part.
func ofPage(n *html.Node) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.Article, atom.Section, atom.Main, atom.Aside, atom.Blockquote:
			return false
		}
	}
	return true
}

func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "hidden" || (a.Key == "aria-hidden" && a.Val == "true") || (a.Key == "style" && strings.Contains(strings.ReplaceAll(a.Val, " ", ""), "display:none")) {
			return true
		}
	}
	return false
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return strings.ToLower(strings.TrimSpace(a.Val))
		}
	}
	return ""
}

// listTypes maps HTML list types to Word's names. They are case-sensitive: a and A differ.
var listTypes = map[string]string{"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}

// numberOf returns the browser's number before an item: "3. "; "" in an unordered list.
func (w *htmlWalker) numberOf(item *html.Node) string {
	list := item.Parent
	if list == nil || list.DataAtom != atom.Ol {
		return ""
	}
	n, begun := w.numbers[list]
	if start, err := strconv.Atoi(attribute(list, "start")); !begun && err == nil {
		n = start - 1
	}
	n++
	if value, err := strconv.Atoi(attribute(item, "value")); err == nil {
		n = value
	}
	w.numbers[list] = n
	format := ""
	for _, a := range list.Attr {
		if a.Key == "type" {
			format = listTypes[a.Val]
		}
	}
	return numfmt.ListNumber(format, n) + ". "
}
