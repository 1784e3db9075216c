package markdown

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"maru/phrase/fit"
	"maru/phrase/link"
)

// Dialect is how one platform writes Markdown: [Slack], [Discord] or [Terminal]. For
// browsers there is [HTML].
type Dialect struct {
	measure fit.Measure // how the platform counts a text
	growth  int         // how many times as long a word may become by escaping
	spare   int         // room that is left in a line for what start adds

	source func(s string) string // makes Markdown source text safe; nil: words are resolved and escaped
	escape func(s string) string // makes a plain word safe
	start  func(tokens []Token, first bool) []Token

	codeSpan func(s string) string
	codeLine func(s string) string
	empty    string // content of an empty code block

	headings func(level int, nested bool) (lead string, marks string)
	rule     string    // a thematic break
	boxes    [2]string // a task's empty and checked box
	quotes   bool      // quotes nest
	inset    bool      // code blocks stand in their list or quote, fenced by more backticks than they hold
	apart    bool      // empty lines also stand beside code blocks
	between  func(prev, next ast.Node) bool
	loose    bool // an empty line stands between the items of a loose list

	fence   string // around a table with aligned columns
	table   func(w *writer, n *east.Table, head, rest string)
	address func(raw string) (url string, to link.Address, ok bool)
	link    func(l anchor) Token
	marks   func(mark byte) (before, after string)
}

// asterisks are the marks of emphasis in Markdown.
func asterisks(mark byte) (before, after string) {
	switch mark {
	case Italic:
		return "*", "*"
	case Bold:
		return "**", "**"
	case Struck:
		return "~~", "~~"
	}
	return "", ""
}

// first returns the first string that is not empty.
func first(ss ...string) string {
	for _, s := range ss {
		if s != "" {
			return s
		}
	}
	return ""
}

// Span returns a code span.
func (d *Dialect) Span(code string) Token {
	return Token{Text: d.codeSpan(code), Plain: code, Kind: Code}
}

// Source returns a link to one of an answer's sources, or its title alone where the
// address is none that people should be sent to.
func (d *Dialect) Source(title, raw string) []Token {
	w := &writer{d: d}
	if looksLikeURL(title) {
		return w.words(title, "")
	}
	return w.anchor(anchor{label: w.words(title, ""), name: title, raw: raw, known: true}, "")
}

// Address returns an address as it may be sent, where it leads, and whether a click
// should lead there.
func (d *Dialect) Address(raw string) (url string, to link.Address, ok bool) { return d.address(raw) }

// Escape makes plain words safe.
func (d *Dialect) Escape(s string) string { return d.escape(s) }
