package discord

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/util"

	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// markOf writes an emphasis, which is one letter in tok.marks.
func markOf(c byte) string {
	switch c {
	case 'e':
		return "*"
	case 's':
		return "**"
	case 'x':
		return "~~"
	}
	return ""
}

// inlines writes what stands inside a block as tokens. Neighbouring texts are
// taken together: what a character means depends on what stands beside it.
func (w *writer) inlines(n ast.Node, stack string) []tok {
	var out []tok
	text := ""
	flush := func() {
		if text != "" {
			out = append(out, w.words(text, stack)...)
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
		text += plainOf(t.Segment.Value(w.src))
		if t.SoftLineBreak() || t.HardLineBreak() {
			flush()
			out = append(out, tok{kind: tokBreak, s: "\n", plain: "\n"})
		}
	}
	flush()
	return out
}

func (w *writer) inline(n ast.Node, stack string) []tok {
	switch n := n.(type) {
	case *ast.String:
		return w.words(string(n.Value), stack)
	case *ast.CodeSpan:
		return w.codeSpan(n, stack)
	case *ast.Emphasis:
		return w.inlines(n, markdown.Deeper(stack, markdown.Emphasis(n)))
	case *east.Strikethrough:
		return w.inlines(n, markdown.Deeper(stack, 'x'))
	case *ast.Link:
		return w.link(n, string(n.Destination), stack)
	case *ast.Image:
		return w.link(n, string(n.Destination), stack)
	case *ast.AutoLink:
		return w.autoLink(n, stack)
	case *ast.RawHTML:
		return w.rawHTML(n, stack)
	case *east.TaskCheckBox:
		if n.IsChecked {
			return fixed("☑ ")
		}
		return fixed("☐ ")
	}
	return w.inlines(n, stack)
}

// plainOf takes the backslashes and entities off Markdown text.
func plainOf(src []byte) string {
	s := util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(src)))
	return fit.Clean(string(s))
}

// words cuts plain text at its spaces, each piece made safe. Escaping sees the
// whole text: what a character means depends on its neighbours.
func (w *writer) words(s, stack string) []tok {
	var out []tok
	for i, part := range strings.Split(markdown.Tighten(s), "\n") {
		if i > 0 {
			out = append(out, tok{kind: tokBreak, s: "\n", plain: "\n"})
		}
		for _, p := range fit.Words(part) {
			out = append(out, tok{s: unjoin(escapeWords(p)), plain: p, marks: stack})
		}
	}
	return out
}

// unjoin keeps a word's end from making a mention with what follows it.
func unjoin(s string) string {
	if t := strings.TrimRight(s, "@!&#:/"); len(t) < len(s) && strings.ContainsAny(s[len(t):], "@") || strings.HasSuffix(t, "<") {
		return s + breaker
	}
	return s
}

func (w *writer) codeSpan(n ast.Node, stack string) []tok {
	plain := markdown.Code(n, w.src)
	return []tok{{s: codeSpan(plain), plain: plain, marks: stack, kind: tokCode}}
}

// link writes a link, or only its label when the address is none that people
// should be sent to. A link that is not one of the sources shows its host.
func (w *writer) link(n ast.Node, raw, stack string) []tok {
	var label strings.Builder
	for _, t := range joinLines(w.inlines(n, "")) {
		label.WriteString(t.plain)
	}
	name := fit.Clip(strings.TrimSpace(label.String()), maxLinkLabel)
	u, to, ok := safeURL(string(util.UnescapePunctuations([]byte(raw))))
	switch {
	case !ok:
		return w.words(first(name, raw), stack)
	case name == "" || name == raw || looksLikeURL(name):
		return []tok{{s: "<" + u + ">", plain: u, marks: stack, kind: tokLink}}
	}
	s := "[" + escape(name) + "](" + u + ")"
	plain := name + " (" + u + ")"
	if note := to.Note(name); note != "" && !w.known[strings.TrimSpace(raw)] {
		s += " (" + escape(note) + ")"
	}
	return []tok{{s: s, plain: plain, marks: stack, kind: tokLink}}
}

func (w *writer) autoLink(n *ast.AutoLink, stack string) []tok {
	label := string(n.Label(w.src))
	u, _, ok := safeURL(label)
	if !ok {
		return w.words(label, stack)
	}
	// Between brackets, so that it ends where it ends.
	return []tok{{s: "<" + u + ">", plain: label, marks: stack, kind: tokLink}}
}

func (w *writer) rawHTML(n *ast.RawHTML, stack string) []tok {
	tag, ends := markdown.HTML(n, w.src)
	if ends {
		return []tok{{kind: tokBreak, s: "\n", plain: "\n"}}
	}
	return w.words(tag, stack)
}
