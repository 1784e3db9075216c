package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"maru/phrase"
	"maru/phrase/fit"
)

// inlines writes a block's content as tokens. Adjacent texts are joined first, since a
// character's meaning depends on its neighbours.
func (w *writer) inlines(n ast.Node, stack string) []Token {
	var out []Token
	text := ""
	flush := func() {
		if text != "" {
			out = append(out, w.text(text, stack)...)
			text = ""
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, ok := c.(*ast.Text)
		if !ok {
			flush()
			out = append(out, w.inline(c, stack)...)
			continue
		}
		text += string(t.Segment.Value(w.src))
		if t.SoftLineBreak() || t.HardLineBreak() {
			flush()
			out = append(out, lineEnd())
		}
	}
	flush()
	return out
}

func (w *writer) inline(n ast.Node, stack string) []Token {
	switch n := n.(type) {
	case *ast.String:
		return w.text(string(n.Value), stack)
	case *ast.CodeSpan:
		plain := phrase.MomentWords(codeOf(n, w.src))
		return []Token{{Text: w.d.codeSpan(plain), Plain: plain, Marks: stack, Kind: Code}}
	case *ast.Emphasis:
		return w.inlines(n, deeper(stack, emphasis(n)))
	case *east.Strikethrough:
		return w.inlines(n, deeper(stack, Struck))
	case *ast.Link:
		return w.link(n, string(n.Destination), stack)
	case *ast.Image:
		return w.link(n, string(n.Destination), stack)
	case *ast.AutoLink:
		return w.autoLink(n, stack)
	case *ast.RawHTML:
		if tag, ends := tagOf(n, w.src); !ends {
			return w.d.Words(tag, stack)
		}
		return []Token{lineEnd()}
	case *east.TaskCheckBox:
		if n.IsChecked {
			return []Token{{Text: w.d.boxes[1], Plain: "☑ ", Kind: Fixed}}
		}
		return []Token{{Text: w.d.boxes[0], Plain: "☐ ", Kind: Fixed}}
	}
	return w.inlines(n, stack)
}

// text splits Markdown source at its spaces and escapes each piece.
func (w *writer) text(src, stack string) []Token {
	if w.d.source == nil {
		return w.words(resolve(src), stack)
	}
	var out []Token
	for _, piece := range fit.Words(src) {
		out = append(out, Token{Text: w.d.source(piece), Plain: resolve(piece), Marks: stack})
	}
	return out
}

// words splits plain text at its spaces and escapes each piece.
func (w *writer) words(s, stack string) []Token {
	var out []Token
	for i, part := range strings.Split(tighten(s), "\n") {
		if i > 0 {
			out = append(out, lineEnd())
		}
		for _, p := range fit.Words(part) {
			out = append(out, Token{Text: w.d.escape(p), Plain: p, Marks: stack})
		}
	}
	return out
}
