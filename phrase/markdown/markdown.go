// Package markdown reads the Markdown of answers: what every adapter that writes it
// anew for its platform takes for granted of it, which is a model's or a stranger's.
//
// It knows no platform: how marks, links and tables are written there, and what has to
// be made safe, its adapter says.
package markdown

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
)

// grammar keeps no state between texts.
var grammar = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList))

// Parse reads CommonMark with tables, strikethrough and task lists. A [Tangled] text
// is not to be given to it.
func Parse(src []byte) ast.Node { return grammar.Parser().Parse(text.NewReader(src)) }

const (
	maxBrackets = 2000 // of a text that is still read as Markdown
	maxMarkers  = 100  // of containers on one line
)

// Tangled reports whether a text would keep the parser busy for seconds, which
// no text that a person is meant to read does.
func Tangled(src string) bool {
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

// hair is a space that nobody notices.
const hair = "\u200a"

var glued = regexp.MustCompile(`(\*\*[^\s*](?:[^*\n]*[\p{P}\p{S}])?)\*\*(\p{Hangul})`)

// Loosen parts bold words that end in punctuation from a Korean particle at once
// behind them, as in **"연차"**는. CommonMark does not see the end of the bold
// there; a hair space, which nobody notices, makes it seen.
func Loosen(src string) string { return glued.ReplaceAllString(src, "$1**"+hair+"$2") }

// Tighten takes out again what [Loosen] put into a text.
func Tighten(s string) string { return strings.ReplaceAll(s, hair, "") }

// Deeper adds a mark of emphasis, one letter, to those that a text stands in, once:
// bold in bold is bold.
func Deeper(stack string, mark byte) string {
	if mark == 0 || strings.IndexByte(stack, mark) >= 0 {
		return stack
	}
	return stack + string(mark)
}

// Emphasis is the mark of one or two asterisks, for [Deeper]: 'e' or 's'.
func Emphasis(n *ast.Emphasis) byte { return map[int]byte{1: 'e', 2: 's'}[n.Level] }

// Code is what a code span says, in one line.
func Code(n ast.Node, src []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(src))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
	}
	return Tighten(strings.ReplaceAll(b.String(), "\n", " "))
}

// HTML is a tag within a text as it is written, and whether it ends a line: all others
// are shown as text.
func HTML(n *ast.RawHTML, src []byte) (tag string, ends bool) {
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
