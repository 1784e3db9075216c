package load

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"maru/phrase/fit"
	"maru/rag/load/outline"
	"maru/rag/load/page"
)

const maxHTMLDepth = 512

// maxTags limits the tags of a page, each of which costs more memory than its characters.
const maxTags = 1_000_000

// parseHTML reads headings, paragraphs, lists, tables and preformatted text; it skips scripts, styles and the site's
// navigation.
func parseHTML(data []byte, _ limits, out *sink) error { return readHTML(data, out, false) }

// parseWebPage is parseHTML for a page of a website: without a marked main part it reads the article within the
// page.
func parseWebPage(data []byte, _ limits, out *sink) error { return readHTML(data, out, true) }

func readHTML(data []byte, out *sink, website bool) error {
	text, err := htmlText(data)
	if err != nil {
		return err
	}
	if strings.Count(text, "<") > maxTags {
		return fault(TooComplex, "", errTagLimit)
	}
	if page.Deep(text, maxHTMLDepth) {
		return fault(TooComplex, "", errDepthLimit)
	}
	doc, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return fault(Broken, "", err)
	}
	w := &htmlWalker{out: out, numbers: map[*html.Node]int{}}
	nodes := contentOf(doc)
	if website && len(nodes) == 1 {
		if a, ok := page.Find(doc); ok {
			nodes, out.Title = []*html.Node{a.Node}, fit.OneLine(a.Title)
			w.buf.WriteString(a.Byline)
			w.flush(para, 0)
		}
	}
	for _, n := range nodes {
		w.walk(n, 0)
		w.flush(para, 0)
	}
	return w.err
}

// htmlText decodes by the page's declared charset, else as plain text.
func htmlText(data []byte) (string, error) {
	if enc, name, certain := charset.DetermineEncoding(data, ""); certain && name != "utf-8" {
		b, err := enc.NewDecoder().Bytes(data)
		if err != nil {
			return "", fault(Encoding, "", err)
		}
		return string(b), nil
	}
	return decodeText(data)
}

type htmlWalker struct {
	out     *sink
	buf     strings.Builder
	numbers map[*html.Node]int // item counters of the open lists
	number  string             // number of the item of the next text
	err     error
}

func (w *htmlWalker) flush(kind outline.Kind, level int) {
	text := w.buf.String()
	w.buf.Reset()
	if w.err != nil {
		return
	}
	if kind != code {
		text = fit.OneLine(text)
	}
	if strings.TrimSpace(text) == "" {
		return
	}
	if !strings.HasPrefix(text, w.number) {
		text = w.number + text
	}
	w.number = ""
	w.err = w.out.add(block{Kind: kind, Level: level, Text: text})
}

var htmlSkip = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Nav: true, atom.Svg: true, atom.Iframe: true,
	atom.Object: true, atom.Select: true, atom.Button: true, atom.Textarea: true, atom.Head: true, atom.Math: true,
}

var htmlBlock = map[atom.Atom]bool{
	atom.P: true, atom.Div: true, atom.Section: true, atom.Article: true, atom.Main: true, atom.Ul: true, atom.Ol: true, atom.Dl: true,
	atom.Blockquote: true, atom.Header: true, atom.Footer: true, atom.Aside: true, atom.Figure: true, atom.Figcaption: true, atom.Address: true, atom.Form: true, atom.Hr: true, atom.Body: true, atom.Details: true, atom.Summary: true, atom.Fieldset: true, atom.Dt: true, atom.Dd: true,
}

func (w *htmlWalker) walk(n *html.Node, depth int) {
	if w.err != nil {
		return
	}
	if depth > 4*maxHTMLDepth {
		w.err = fault(TooComplex, "", errDepthLimit)
		return
	}
	if n.Type == html.TextNode {
		w.buf.WriteString(n.Data)
		return
	}
	kids := func() {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			w.walk(c, depth+1)
		}
	}
	if n.Type != html.ElementNode {
		kids()
		return
	}
	switch a := n.DataAtom; {
	case a == atom.Head:
		w.title(n)
	case htmlSkip[a], hidden(n), furniture(n):
	case a == atom.Br:
		w.buf.WriteByte('\n')
	case isHeading(n):
		w.flush(para, 0)
		kids()
		w.flush(heading, int(n.Data[1]-'0'))
	case a == atom.Li:
		w.flush(para, 0)
		w.number = w.numberOf(n)
		kids()
		w.flush(item, 0)
		w.number = ""
	case a == atom.Pre:
		w.flush(para, 0)
		kids()
		w.flush(code, 0)
	case a == atom.Table:
		w.flush(para, 0)
		w.table(n, depth)
	case htmlBlock[a]:
		w.flush(para, 0)
		kids()
		w.flush(para, 0)
	default:
		kids()
	}
}

func isHeading(n *html.Node) bool {
	return n.Type == html.ElementNode && len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6'
}

func (w *htmlWalker) title(head *html.Node) {
	for c := head.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Title && c.FirstChild != nil {
			w.out.Title = fit.OneLine(c.FirstChild.Data)
		}
	}
}

// textOf returns the text below a node.
func textOf(n *html.Node, depth int) string {
	if depth > 4*maxHTMLDepth || htmlSkip[n.DataAtom] {
		return ""
	}
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(textOf(c, depth+1))
		if c.DataAtom == atom.Br || htmlBlock[c.DataAtom] || c.DataAtom == atom.Td || c.DataAtom == atom.Li {
			b.WriteByte(' ')
		}
	}
	return b.String()
}
