package markdown

import "strings"

// Line is one line of a text, with all that must be repeated when a message ends before
// it and another begins with it.
type Line struct {
	Prefix string // of the containers it stands in: "> ", "  "
	Tokens []Token
	Group  int    // number of the outermost block it belongs to
	Gap    bool   // it begins a block: the best place to break
	Blank  bool   // an empty line precedes it
	Frame  *Frame // the code block or table it is part of
	above  string // prefix of the empty line before it
}

// Token is a word with the spaces after it, or something that is only cut when it
// exceeds a message: a link, a code span.
type Token struct {
	Text  string // as it is sent, without emphasis
	Plain string // as it reads without markup
	Marks string // emphasis around it, one letter each, outermost first
	Kind  Kind
	URL   string // of a link
	Label string // the words a link shows
}

// Kind says what a token is.
type Kind int

// The kinds of tokens.
const (
	Word  Kind = iota
	Code       // a code span
	Link       // a link
	Break      // the end of a line
	Fixed      // markup of the writer's or the adapter's own
)

// The letters of [Token.Marks].
const (
	Italic byte = 'e'
	Bold   byte = 's'
	Struck byte = 'x'
)

// Frame is what every part of a code block or table repeats.
type Frame struct {
	Open, Close string   // fences; "" around a table of bars
	Head        []string // first lines of a table
	Plain       string   // the head without markup
	Table       bool
}

// Own returns markup that a writer or an adapter adds to a text.
func Own(s string) Token { return Token{Text: s, Plain: s, Kind: Fixed} }

// lineEnd is the token that ends a line.
func lineEnd() Token { return Token{Text: "\n", Plain: "\n", Kind: Break} }

// Plain joins what tokens say without markup.
func Plain(tokens []Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteString(t.Plain)
	}
	return b.String()
}

// oneLine replaces the ends of lines by spaces.
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
