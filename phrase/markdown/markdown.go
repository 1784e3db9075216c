// Package markdown reads the Markdown of answers and writes it anew for one platform:
// as the Markdown of Slack or Discord, cut into messages by [Dialect.Split], as HTML for
// a browser, or with the styles of a terminal. What it writes calls nobody, leads only
// where a link may lead, and hides nothing.
//
// It knows how text is written on each platform, not how it is sent: cards, blocks,
// limits and identities are their adapter's. A text is written by a model or a stranger.
package markdown

import (
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"maru/phrase/fit"
)

// grammar is CommonMark with tables, task lists and strikethrough by two tildes. It keeps
// no state between texts.
var grammar = goldmark.New(goldmark.WithExtensions(extension.Table, extension.TaskList, strikethrough{}))

// parse reads a text. A tangled one must not be given to it.
func parse(src []byte) ast.Node { return grammar.Parser().Parse(text.NewReader(src)) }

const (
	maxBrackets = 2000 // of a text that is still read as Markdown
	maxMarkers  = 100  // of containers on one line
)

// tangled reports whether a text would keep the parser busy for seconds. No text
// written for people does.
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

// hair is the hair space, too thin to be noticed.
const hair = "\u200a"

var glued = regexp.MustCompile(`(\*\*[^\s*](?:[^*\n]*[\p{P}\p{S}])?)\*\*(\p{Hangul})`)

// loosen parts bold words that end in punctuation from a Korean particle directly
// behind them, as in **"연차"**는. CommonMark does not see the end of the bold there;
// a hair space makes it seen.
func loosen(src string) string { return glued.ReplaceAllString(src, "$1**"+hair+"$2") }

// tighten removes what [loosen] put into a text.
func tighten(s string) string { return strings.ReplaceAll(s, hair, "") }

// deeper adds a mark of emphasis, one letter, to those a text stands in, once: bold in
// bold is bold.
func deeper(stack string, mark byte) string {
	if mark == 0 || strings.IndexByte(stack, mark) >= 0 {
		return stack
	}
	return stack + string(mark)
}

// emphasis is the letter of one or two asterisks.
func emphasis(n *ast.Emphasis) byte {
	switch n.Level {
	case 1:
		return Italic
	case 2:
		return Bold
	}
	return 0
}

// codeOf is the content of a code span, in one line.
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

// tagOf is an HTML tag within a text as it is written, and whether it ends a line. All
// other tags are shown as text.
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

// resolve takes the backslashes and entities off Markdown text.
func resolve(src string) string {
	s := util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations([]byte(src))))
	return fit.Clean(string(s))
}
