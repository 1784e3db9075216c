package token

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// pieceLen returns the length of a text's first piece: tokens never reach over the end of one. It does what o200k's
// pattern says, which Go's regexp cannot express:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func pieceLen(s string) int {
	first, size := utf8.DecodeRuneInString(s)
	before := 0 // the length of the optional sign before a word
	if first != '\r' && first != '\n' && !unicode.IsLetter(first) && !unicode.IsNumber(first) {
		before = size
	}
	for _, word := range []func(string) int{lowerWord, upperWord} {
		if n := word(s[before:]); n > 0 {
			return before + n + contraction(s[before+n:])
		}
		if n := word(s); before > 0 && n > 0 { // the sign is a mark, which can be of the word
			return n + contraction(s[n:])
		}
	}
	if n := runLen(s, unicode.IsNumber, 3); n > 0 {
		return n
	}
	space := 0
	if first == ' ' {
		space = 1
	}
	if n := runLen(s[space:], sign, -1); n > 0 {
		n += space
		return n + runLen(s[n:], func(r rune) bool { return r == '\r' || r == '\n' || r == '/' }, -1)
	}
	n := runLen(s, unicode.IsSpace, -1)
	if line := strings.LastIndexAny(s[:n], "\r\n"); line >= 0 {
		return line + 1
	}
	if n < len(s) { // the last space belongs to what follows
		if _, last := utf8.DecodeLastRuneInString(s[:n]); n > last {
			return n - last
		}
	}
	return n
}

// lowerWord is [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+, 0 if it does not match.
func lowerWord(s string) int {
	n := runLen(s, upper, -1)
	if end := n + runLen(s[n:], lower, -1); end > n {
		return end
	}
	for n > 0 { // the last of them that is of both classes
		r, size := utf8.DecodeLastRuneInString(s[:n])
		if lower(r) {
			return n
		}
		n -= size
	}
	return 0
}

// upperWord is [\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*.
func upperWord(s string) int {
	n := runLen(s, upper, -1)
	if n == 0 {
		return 0
	}
	return n + runLen(s[n:], lower, -1)
}

// contraction is (?i:'s|'t|'re|'ve|'m|'ll|'d)?.
func contraction(s string) int {
	if s == "" || s[0] != '\'' {
		return 0
	}
	for _, end := range []string{"s", "ſ", "t", "re", "ve", "m", "ll", "d"} {
		if rest := s[1:]; len(rest) >= len(end) && strings.EqualFold(rest[:len(end)], end) {
			return 1 + len(end)
		}
	}
	return 0
}

// runLen returns the length of the first runes of a class, at most so many of them if most is positive.
func runLen(s string, class func(rune) bool, most int) int {
	for i, r := range s {
		if !class(r) || most == 0 {
			return i
		}
		most--
	}
	return len(s)
}

func upper(r rune) bool {
	if r < utf8.RuneSelf {
		return 'A' <= r && r <= 'Z'
	}
	return hangul(r) || unicode.In(r, unicode.Lo, unicode.Lu, unicode.M, unicode.Lm, unicode.Lt)
}

func lower(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z'
	}
	return hangul(r) || unicode.In(r, unicode.Lo, unicode.Ll, unicode.M, unicode.Lm)
}

// hangul are the syllables, which are of class Lo: Korean text need not be looked up.
func hangul(r rune) bool { return 0xAC00 <= r && r <= 0xD7A3 }

func sign(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r) }
