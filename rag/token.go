package rag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/rag/article"
)

type tokenKind uint8

const (
	kindHangul  tokenKind = iota // a run of Hangul syllables
	kindLatin                    // ASCII letters, digits and inner marks
	kindNumber                   // digits with separators
	kindHan                      // Han and Kana
	kindOther                    // letters of other scripts
	kindArticle                  // an article number in canonical form
)

type token struct {
	kind tokenKind
	text string
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isAlnum(c byte) bool { return isUpper(c) || isLower(c) || isDigit(c) }

func isHan(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// appendTokens splits folded text into runs of one script.
func appendTokens(out []token, s string) []token {
	for i := 0; i < len(s); {
		if ref, n := article.At(s, i); n > 0 && lookedUp(ref.Kind) {
			out = append(out, token{kindArticle, ref.Key()})
			i += n
			if p := runOf(s[i:], isHangul); IsParticle(s[i : i+p]) {
				i += p // the 에 of 제5조에
			}
			continue
		}
		c := s[i]
		if c < utf8.RuneSelf {
			if !isAlnum(c) {
				i++
				continue
			}
			n := latinRun(s[i:])
			out = append(out, latinToken(s[i:i+n]))
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case isHangul(r):
			n := runOf(s[i:], isHangul)
			if run := s[i : i+n]; strings.HasSuffix(run, "제") && len(run) > len("제") {
				if ref, ok := article.At(s, i+n-len("제")); ok > 0 && lookedUp(ref.Kind) {
					n -= len("제") // 병역법제5조: no space before it
				}
			}
			out = append(out, token{kindHangul, s[i : i+n]})
			i += n
		case isHan(r):
			n := runOf(s[i:], isHan)
			if at := strings.Index(s[i:i+n], "第"); at > 0 {
				n = at // 民法第三條
			}
			out = append(out, token{kindHan, s[i : i+n]})
			i += n
		case isOther(r):
			n := runOf(s[i:], isOther)
			out = append(out, token{kindOther, s[i : i+n]})
			i += n
		default:
			i += size
		}
	}
	return out
}

// lookedUp reports whether parts of this kind are found by number.
func lookedUp(k article.Kind) bool {
	return k == article.Article || k == article.Section || k == article.Annex
}

func isOther(r rune) bool {
	return (inName(r) || unicode.IsMark(r)) && !isHangul(r) && !isHan(r)
}

// middleDot is the letter that Korean laws use as a mark: 설치ㆍ운영.
const middleDot = 'ㆍ'

// inName reports whether a rune is part of a word rather than a separator.
func inName(r rune) bool { return (unicode.IsLetter(r) || unicode.IsNumber(r)) && r != middleDot }

func runOf(s string, in func(rune) bool) int {
	for i, r := range s {
		if !in(r) {
			return i
		}
	}
	return len(s)
}

// latinRun returns the length of an ASCII word with its inner marks: don't, foo_bar, v1.2, 1,000. A dash separates
// words: covid-19 is two.
func latinRun(s string) int {
	i := 0
	for i < len(s) {
		c := s[i]
		if isAlnum(c) {
			i++
			continue
		}
		inner := i+1 < len(s) && isAlnum(s[i+1])
		switch {
		case c == '_' && inner:
			i++
		case (c == '.' || c == ',') && inner && isDigit(s[i-1]) && isDigit(s[i+1]):
			i++
		case c == '\'' && inner && i+2 <= len(s):
			i++
		default:
			return i
		}
	}
	return i
}

func latinToken(s string) token {
	number := true
	for i := 0; i < len(s); i++ {
		if !isDigit(s[i]) && s[i] != '.' && s[i] != ',' {
			number = false
			break
		}
	}
	if number {
		return token{kindNumber, s}
	}
	if i := strings.IndexByte(s, '\''); i > 0 { // possessive and contraction: the word before it
		s = s[:i]
	}
	return token{kindLatin, s}
}
