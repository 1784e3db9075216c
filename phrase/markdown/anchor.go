package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/link"
)

// maxLabel bounds a link's label.
const maxLabel = 300

// anchor is a link with a valid target.
type anchor struct {
	label []Token // as written, in one line
	name  string  // the label without markup, clipped; "" for none
	raw   string  // the URL as written
	url   string  // the URL to send
	to    link.Address
	known bool // one of the answer's sources
	auto  bool // the URL is its own label
}

// link writes a link, or only its label if the target is invalid.
func (w *writer) link(n ast.Node, dest, stack string) []Token {
	label := oneLine(w.inlines(n, ""))
	raw := string(util.UnescapePunctuations([]byte(dest)))
	a := anchor{label: label, name: fit.ClipBy(strings.TrimSpace(Plain(label)), maxLabel, w.d.measure), raw: raw}
	a.known = w.known[strings.TrimSpace(raw)]
	return w.anchor(a, stack)
}

// autoLink writes a URL in angle brackets.
func (w *writer) autoLink(n *ast.AutoLink, stack string) []Token {
	label := string(n.Label(w.src))
	raw := label
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(raw), "mailto:") {
		raw = "mailto:" + raw
	}
	return w.anchor(anchor{name: label, raw: raw, auto: true}, stack)
}

func (w *writer) anchor(a anchor, stack string) []Token {
	if at, timed := phrase.MomentOf(a.raw); timed && w.d.timed && a.name != "" {
		return []Token{w.moment(at, a.name, stack)}
	}
	var ok bool
	if a.url, a.to, ok = w.d.address(a.raw); !ok {
		return w.words(first(a.name, a.raw), stack)
	}
	t := w.d.link(a)
	t.Marks, t.Kind, t.URL = stack, Link, a.url
	return []Token{t}
}
