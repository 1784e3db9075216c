package web

import (
	"fmt"
	"html/template"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"maru/phrase/fit"
	"maru/phrase/link"
)

// anchor stands for a link, an image or an address in a text.
type anchor struct {
	ast.BaseInline
	href  string // "" when it leads nowhere a person should be led
	host  string // where it really leads, shown when the words do not say so
	known bool   // a source of this answer gave the address
	lang  string
}

var kindAnchor = ast.NewNodeKind("MaruAnchor")

// Kind implements ast.Node.
func (*anchor) Kind() ast.NodeKind { return kindAnchor }

// Dump implements ast.Node.
func (n *anchor) Dump(src []byte, level int) { ast.DumpHelper(n, src, level, nil, nil) }

// linkTransformer replaces whatever leads elsewhere by anchors.
type linkTransformer struct{}

// Transform implements parser.ASTTransformer.
func (linkTransformer) Transform(doc *ast.Document, reader text.Reader, pc parser.Context) {
	s := surroundingsOf(pc)
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
		replaceLink(n, reader.Source(), s)
	}
}

func replaceLink(n ast.Node, src []byte, s surroundings) {
	var dest, mark string
	switch l := n.(type) {
	case *ast.Link:
		dest = string(l.Destination)
	case *ast.Image:
		dest, mark = string(l.Destination), "🖼 "
	case *ast.AutoLink:
		dest = string(l.URL(src))
		if l.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(dest), "mailto:") {
			dest = "mailto:" + dest
		}
	}
	a := &anchor{lang: s.lang}
	a.href, a.host = safeAddress(dest)
	a.known = s.known[a.href]
	if mark != "" {
		a.AppendChild(a, ast.NewString([]byte(mark)))
	}
	if auto, ok := n.(*ast.AutoLink); ok {
		label := auto.Label(src)
		a.AppendChild(a, ast.NewString([]byte(template.HTMLEscapeString(string(label)))))
		a.LastChild().(*ast.String).SetCode(true) //nolint:errcheck,forcetypeassert // appended above; written as it is, escaped here
		if strings.Contains(string(label), a.host) {
			a.host = ""
		}
	}
	for c := n.FirstChild(); c != nil; {
		next := c.NextSibling()
		a.AppendChild(a, c)
		c = next
	}
	n.Parent().ReplaceChild(n.Parent(), n, a)
}

// safeAddress returns the address in its plain form and the host it leads to, or
// "" for one that no link may have. Documents are called as their files are: a space
// in an address is one.
func safeAddress(dest string) (href, host string) {
	dest = strings.ReplaceAll(strings.TrimSpace(fit.Clean(dest)), " ", "%20")
	a, ok := link.Parse(dest)
	if !ok {
		return "", ""
	}
	return a.Canonical(), a.Host
}

// anchor renders a link. A known one opens in a new tab; any other is a button
// that first shows where it leads, for the words of an answer can be made to
// carry a secret to a stranger.
func (nodes) anchor(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*anchor) //nolint:errcheck,forcetypeassert // registered for this kind only
	switch {
	case n.href == "" && entering:
		_, _ = w.WriteString(`<span class="nolink">`)
	case n.href == "":
		_, _ = w.WriteString(`</span>`)
	case entering && n.known:
		fmt.Fprintf(w, `<a href="%s" rel="noopener noreferrer nofollow ugc" target="_blank">`, attr(n.href))
	case entering:
		fmt.Fprintf(w, `<button type="button" class="away" data-away="%s" title="%s">`, attr(n.href), attr(word(n.lang, "away.title")))
	default:
		if n.host != "" {
			fmt.Fprintf(w, ` <span class="host">(%s)</span>`, attr(n.host))
		}
		if n.known {
			_, _ = w.WriteString(`</a>`)
		} else {
			_, _ = w.WriteString(`</button>`)
		}
	}
	return ast.WalkContinue, nil
}

// attr escapes text for an attribute or for the inside of an element.
func attr(s string) string { return template.HTMLEscapeString(s) }
