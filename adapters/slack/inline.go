package slack

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"maru/phrase/fit"
	"maru/phrase/markdown"
)

// marks of emphasis, one letter each so that a stack of them is a string.
var marks = map[byte]string{'e': "*", 's': "**", 'x': "~~"}

// inlines writes what stands inside a block as tokens; a "\n" token ends a line.
func (w *writer) inlines(n ast.Node, stack string) []tok {
	var out []tok
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, w.inline(c, stack)...)
	}
	return out
}

func (w *writer) inline(n ast.Node, stack string) []tok {
	switch n := n.(type) {
	case *ast.Text:
		out := w.textTokens(string(n.Segment.Value(w.src)), stack)
		if n.SoftLineBreak() || n.HardLineBreak() {
			out = append(out, tok{s: "\n", plain: "\n"})
		}
		return out
	case *ast.String:
		return w.textTokens(string(n.Value), stack)
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
			return []tok{{s: "[x] ", plain: "☑ "}}
		}
		return []tok{{s: "[ ] ", plain: "☐ "}}
	}
	return w.inlines(n, stack)
}

// textTokens cuts text at its spaces, each piece made safe.
func (w *writer) textTokens(s, stack string) []tok {
	var out []tok
	for _, piece := range fit.Words(s) {
		if !strings.ContainsAny(piece, "<>&@:\\]") { // nothing in it to make safe
			out = append(out, tok{s: piece, plain: piece, marks: stack})
			continue
		}
		safe := strings.ReplaceAll(escapeMarkdown(calm(defang(piece))), "](", "]\\(")
		out = append(out, tok{s: safe, plain: unescape(piece), marks: stack})
	}
	return out
}

// unescape takes the backslashes off Markdown text for its plain form.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", s[i+1]) >= 0 {
			continue
		}
		b.WriteByte(s[i])
	}
	return entities.Replace(b.String())
}

// words is a line of plain machine words.
func words(s string) []tok { return []tok{{s: s, plain: s}} }

func (w *writer) codeSpan(n ast.Node, stack string) []tok {
	plain := markdown.Code(n, w.src)
	return []tok{{s: spanOf(plain), plain: plain, marks: stack, code: true}}
}

// spanOf writes a code span, with more backticks than are in it.
func spanOf(plain string) string {
	ticks := strings.Repeat("`", longestRun(plain, '`')+1)
	pad := ""
	if strings.HasPrefix(plain, "`") || strings.HasSuffix(plain, "`") || plain == "" {
		pad = " "
	}
	return ticks + pad + escapeCode(plain) + pad + ticks
}

// link writes a link, or only its label when the address is none that people
// should be sent to. A link that is not one of the sources shows its host.
func (w *writer) link(n ast.Node, raw, stack string) []tok {
	var label, plain strings.Builder
	for _, t := range w.inlines(n, "") {
		if t.s == "\n" {
			t = tok{s: " ", plain: " "}
		}
		label.WriteString(t.s)
		plain.WriteString(t.plain)
	}
	name := clip(strings.TrimSpace(plain.String()), maxLinkLabel)
	u, to, ok := safeURL(raw)
	if !ok {
		return w.textTokens(escapeLabel(first(name, raw)), stack)
	}
	shown := strings.TrimSpace(label.String())
	if fit.UTF16(shown) > maxLinkLabel || strings.ContainsAny(shown, "`[]") || name == "" {
		shown = escapeMarkdown(escapeLabel(first(name, to.Host)))
	}
	plainForm := first(name, to.Host) + " (" + u + ")"
	words := first(name, to.Host)
	if note := to.Note(name); note != "" && name != "" && !w.trusted(raw) {
		shown += " (" + escapeMarkdown(note) + ")"
		words += " (" + note + ")"
	} else if note == "" {
		plainForm = u
	}
	return []tok{{s: "[" + calm(shown) + "](" + u + ")", plain: plainForm, marks: stack, url: u, name: words}}
}

// escapeLabel keeps plain words from being read as markup.
func escapeLabel(s string) string { return labelEscaper.Replace(s) }

var labelEscaper = strings.NewReplacer("\\", "\\\\", "[", "\\[", "]", "\\]", "`", "\\`", "*", "\\*", "_", "\\_", "~", "\\~", "&", "\\&")

func (w *writer) autoLink(n *ast.AutoLink, stack string) []tok {
	label := string(n.Label(w.src))
	raw := label
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(raw), "mailto:") {
		raw = "mailto:" + raw
	}
	u, _, ok := safeURL(raw)
	if !ok {
		return w.textTokens(escapeLabel(label), stack)
	}
	return []tok{{s: "[" + escapeMarkdown(escapeLabel(label)) + "](" + u + ")", plain: label, marks: stack, url: u, name: label}}
}

func (w *writer) rawHTML(n *ast.RawHTML, stack string) []tok {
	tag, ends := markdown.HTML(n, w.src)
	if ends {
		return []tok{{s: "\n", plain: "\n"}}
	}
	return w.textTokens(escapeLabel(tag), stack)
}
