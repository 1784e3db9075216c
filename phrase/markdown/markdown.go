// Package markdown parses the Markdown of answers and writes it for a platform: as the
// Markdown of Slack or Discord, split into messages by [Dialect.Split], as HTML for a
// browser, or with terminal styles. Its output mentions nobody, links only to valid targets,
// and hides nothing.
//
// It knows each platform's text format, not the sending: cards, blocks, limits and identities
// belong to the adapters. All input is untrusted.
package markdown

import (
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"maru/phrase/fit"
	"maru/phrase/pattern"
)

// grammar is CommonMark with tables, task lists and two-tilde strikethrough. It is stateless.
var grammar = goldmark.New(goldmark.WithExtensions(extension.Table, extension.TaskList, strikethrough{}))

// parse parses a text, which must not be tangled.
func parse(src []byte) ast.Node { return grammar.Parser().Parse(text.NewReader(src)) }

const (
	maxBrackets = 2000 // of a text that is still parsed as Markdown
	maxMarkers  = 100  // of containers on one line
)

// tangled reports whether a text would take the parser seconds. No ordinary text does.
func tangled(src string) bool {
	if strings.Count(src, "[") > maxBrackets {
		return true
	}
	for l := range strings.Lines(src) {
		lead := len(l) - len(strings.TrimLeft(l, "> \t-+*"))
		if lead > maxMarkers && strings.Count(l[:lead], ">")+strings.Count(l[:lead], "- ")+strings.Count(l[:lead], "* ")+strings.Count(l[:lead], "+ ") > maxMarkers {
			return true
		}
	}
	return false
}

// hair is the hair space, which is practically invisible.
const hair = "\u200a"

var glued = pattern.New(`(\*\*[^\s*](?:[^*\n]*[\p{P}\p{S}])?)\*\*(\p{Hangul})`)

// loosen separates bold text that ends in punctuation from a directly following Korean
// particle, as in **"연차"**는, where CommonMark does not recognise the end of the bold; a hair
// space makes it do so.
func loosen(src string) string { return glued.ReplaceAllString(src, "$1**"+hair+"$2") }

// tighten removes the hair spaces of [loosen].
func tighten(s string) string { return strings.ReplaceAll(s, hair, "") }

// deeper adds a mark of emphasis, one letter, to a stack, without duplicates: bold within
// bold is bold.
func deeper(stack string, mark byte) string {
	if mark == 0 || strings.IndexByte(stack, mark) >= 0 {
		return stack
	}
	return stack + string(mark)
}

// emphasis returns the letter for one or two asterisks.
func emphasis(n *ast.Emphasis) byte {
	switch n.Level {
	case 1:
		return Italic
	case 2:
		return Bold
	}
	return 0
}

// codeOf returns a code span's content in one line.
func codeOf(n ast.Node, src []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(src))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
	}
	return tighten(strings.ReplaceAll(b.String(), "\n", " "))
}

// tagOf returns an inline HTML tag as written, and whether it is a line break. All other tags
// are shown as text.
func tagOf(n *ast.RawHTML, src []byte) (tag string, ends bool) {
	var b strings.Builder
	for i := range n.Segments.Len() {
		seg := n.Segments.At(i)
		b.Write(seg.Value(src))
	}
	tag = strings.ReplaceAll(b.String(), "\n", " ")
	switch strings.ToLower(strings.ReplaceAll(tag, " ", "")) {
	case "<br>", "<br/>":
		return tag, true
	}
	return tag, false
}

// resolve unescapes backslashes and entities of Markdown source. What follows a backslash begins no entity.
func resolve(src string) string {
	var b strings.Builder
	from := 0
	upTo := func(end int) {
		b.Write(util.ResolveEntityNames(util.ResolveNumericReferences([]byte(src[from:end]))))
	}
	for i := 0; i+1 < len(src); i++ {
		if src[i] == '\\' && util.IsPunct(src[i+1]) {
			upTo(i)
			b.WriteByte(src[i+1])
			i++
			from = i + 1
		}
	}
	upTo(len(src))
	return fit.Clean(b.String())
}
