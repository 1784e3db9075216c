package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// What runs does with a character: those of any other class stay together with their like.
const (
	drop  = iota // it parts words and belongs to none
	alone        // it is a word
	join
)

// runs splits a piece between classes of characters.
func runs(p piece, class func(rune) int) []piece {
	var out []piece
	start, last := 0, drop
	end := func(i int) {
		if last != drop && i > start {
			out = append(out, piece{text: p.text[start:i], id: letters})
		}
		start = i
	}
	for i, r := range p.text {
		if c := class(r); c != last || c == alone {
			end(i)
			last = c
		}
	}
	end(len(p.text))
	return out
}

func spaces(r rune) int {
	if unicode.IsSpace(r) {
		return drop
	}
	return join
}

func spacesAndPunctuation(r rune) int {
	switch {
	case unicode.IsSpace(r):
		return drop
	case isPunctuation(r):
		return alone
	}
	return join
}

func wordsAndSigns(r rune) int {
	switch {
	case isWord(r):
		return join
	case unicode.IsSpace(r):
		return drop
	}
	return join + 1
}

func isPunctuation(r rune) bool {
	return r < utf8.RuneSelf && r > ' ' && r != 0x7F && !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsPunct(r)
}

// metaspace writes spaces as a sign of their own, ▁, and begins each word with it.
type metaspace struct {
	sign  string
	front bool // one stands in front of every piece
	whole bool // do not split
}

func (m metaspace) split(p piece) []piece {
	s := strings.ReplaceAll(p.text, " ", m.sign)
	if m.front && !strings.HasPrefix(s, m.sign) {
		s = m.sign + s
	}
	if m.whole {
		return []piece{{text: s, id: letters}}
	}
	var out []piece
	for start := 0; start < len(s); {
		end := len(s)
		if next := strings.Index(s[start+1:], m.sign); next >= 0 {
			end = start + 1 + next
		}
		out = append(out, piece{text: s[start:end], id: letters})
		start = end
	}
	return out
}

// byteLevel writes every byte as a letter, as GPT-2 began it.
type byteLevel struct {
	space bool // put one in front
	whole bool // do not split
}

func (b byteLevel) split(p piece) []piece {
	s := p.text
	if b.space && !strings.HasPrefix(s, " ") {
		s = " " + s
	}
	if b.whole {
		return []piece{{text: byteLetters(s), id: letters}}
	}
	var out []piece
	for start := 0; start < len(s); {
		end := start + gptWord(s[start:])
		out = append(out, piece{text: byteLetters(s[start:end]), id: letters})
		start = end
	}
	return out
}

// byteLetters: visible characters of Latin-1 stand for themselves, the other bytes for
// what follows U+0100.
func byteLetters(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteRune(byteLetter[c])
	}
	return b.String()
}

var byteLetter = func() (to [256]rune) {
	next := rune(0x100)
	for c := range to {
		if c >= '!' && c <= '~' || c >= 0xA1 && c <= 0xAC || c >= 0xAE {
			to[c] = rune(c)
			continue
		}
		to[c] = next
		next++
	}
	return to
}()

// gptWord is how long the first match is of the expression by which GPT-2 splits, which
// looks ahead:
//
//	's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func gptWord(s string) int {
	for _, tail := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if strings.HasPrefix(s, tail) {
			return len(tail)
		}
	}
	rest := strings.TrimPrefix(s, " ")
	r, n := utf8.DecodeRuneInString(rest)
	if n > 0 && !unicode.IsSpace(r) {
		kind := gptKind(r)
		return len(s) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return gptKind(r) == kind }))
	}
	rest = strings.TrimLeftFunc(s, unicode.IsSpace)
	blank := s[:len(s)-len(rest)]
	_, n = utf8.DecodeLastRuneInString(blank)
	if rest == "" || n == len(blank) {
		return len(blank)
	}
	return len(blank) - n // the last one belongs to the next word
}

func gptKind(r rune) int {
	switch {
	case unicode.IsSpace(r):
		return 0
	case unicode.IsLetter(r):
		return 1
	case unicode.IsNumber(r):
		return 2
	}
	return 3
}
