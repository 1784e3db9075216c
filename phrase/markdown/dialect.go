package markdown

import (
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"maru/phrase/fit"
	"maru/phrase/link"
)

// Dialect is a platform's Markdown: [Slack], [Discord] or [Terminal]. Browsers get [HTML].
type Dialect struct {
	measure fit.Measure // the platform's measure of a text
	growth  int         // maximum growth factor of a word by escaping
	spare   int         // reserve in a line for the additions of start

	source func(s string) string // escapes Markdown source; nil: source is resolved and escaped as plain text
	escape func(s string) string // escapes plain text
	start  func(tokens []Token, first bool) []Token

	codeSpan func(s string) string
	codeLine func(s string) string
	empty    string // content of an empty code block

	headings func(level int, nested bool) (lead string, marks string)
	rule     string    // a thematic break
	boxes    [2]string // a task's empty and checked box
	quotes   bool      // quotes nest
	inset    bool      // code blocks are nested in their list or quote, with fences longer than any they contain
	apart    bool      // blank lines also around code blocks
	between  func(prev, next ast.Node) bool
	loose    bool // a blank line between the items of a loose list

	fence   string // around a table with aligned columns
	table   func(w *writer, n *east.Table, head, rest string)
	address func(raw string) (url string, to link.Address, ok bool)
	link    func(l anchor) Token
	marks   func(mark byte) (before, after string)
	moment  string // a moment for each reader's time zone, with "%" for seconds since 1970; "" for its words
	timed   bool   // see Timed
}

// asterisks returns the Markdown marks of emphasis.
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

// first returns the first non-empty string.
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

// Source returns a link to one of an answer's sources, or its title if the URL is invalid.
func (d *Dialect) Source(title, raw string) []Token {
	w := &writer{d: d}
	if looksLikeURL(title) {
		return w.words(title, "")
	}
	return w.anchor(anchor{label: w.words(title, ""), name: title, raw: raw, known: true}, "")
}

// Address returns a URL for sending, its target, and whether to link it.
func (d *Dialect) Address(raw string) (url string, to link.Address, ok bool) { return d.address(raw) }

// Escape escapes plain text.
func (d *Dialect) Escape(s string) string { return d.escape(s) }
