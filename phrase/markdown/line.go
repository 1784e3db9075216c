package markdown

import "strings"

// Line is one line of a text, with everything to repeat when a message starts at it.
type Line struct {
	Prefix string // of its containers: "> ", "  "
	Tokens []Token
	Group  int    // number of its outermost block
	Gap    bool   // begins a block: the best place to break
	Blank  bool   // preceded by a blank line
	Frame  *Frame // its code block or table
	above  string // prefix of the blank line before it
}

// Token is a word with the spaces after it, or a link or code span, which is only cut when it
// exceeds a message.
type Token struct {
	Text  string // as sent, without emphasis
	Plain string // without markup
	Marks string // emphasis around it, one letter each, outermost first
	Kind  Kind
	URL   string // of a link
	Label string // a link's visible text
	At    int64  // of a moment, seconds since 1970
}

// Kind is the type of a token.
type Kind int

// The kinds of tokens.
const (
	Word  Kind = iota
	Code       // a code span
	Link       // a link
	Break      // the end of a line
	Fixed      // markup of the writer or adapter
)

// The letters of [Token.Marks].
const (
	Italic byte = 'e'
	Bold   byte = 's'
	Struck byte = 'x'
)

// Frame is repeated in every part of a code block or table.
type Frame struct {
	Open, Close string   // fences; "" for a table of bars
	Head        []string // first lines of a table
	Plain       string   // the head without markup, "" for none
	Table       bool
}

// Own returns markup that a writer or adapter adds to a text.
func Own(s string) Token { return Token{Text: s, Plain: s, Kind: Fixed} }

// lineEnd returns the token that ends a line.
func lineEnd() Token { return Token{Text: "\n", Plain: "\n", Kind: Break} }

// Plain joins tokens without markup.
func Plain(tokens []Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Plain)
	}
	return b.String()
}

// oneLine replaces line ends by spaces.
func oneLine(tokens []Token) []Token {
	out := make([]Token, 0, len(tokens))
	for _, t := range tokens {
		if t.Kind == Break {
			t = Token{Text: " ", Plain: " ", Marks: t.Marks}
		}
		out = append(out, t)
	}
	return out
}
