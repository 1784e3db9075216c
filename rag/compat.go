package rag

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// compatible replaces compatibility characters as NFKC does: ligatures of PDFs (oﬃce), half-width Hangul, units
// (㎡, ㎏), circled and bracketed numbers and syllables (⑴, ㈜). Unlike NFKC it keeps jamo (ㅋㅋ, ㉠), fractions, trade
// marks and paragraph marks (①), which [maru/rag/article] reads. The stored passage keeps its characters, so that
// quotes match the document.
func compatible(text string) string {
	at := strings.IndexFunc(text, mayStandFor)
	if at < 0 {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	before := rune(-1)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case halfHangul(r): // a syllable consists of several of them
			end := i + n
			for end < len(text) {
				next, size := utf8.DecodeRuneInString(text[end:])
				if !halfHangul(next) {
					break
				}
				end += size
			}
			out.WriteString(composed([]rune(width.Fold.String(text[i:end]))))
			n = end - i
		case r >= '①' && r <= '⑳' && before == '제':
			out.WriteString(strconv.Itoa(int(r-'①') + 1))
		case r >= 'Ⅰ' && r <= 'ⅿ':
			out.WriteString(roman(r, before, text[i+n:]))
		case standsFor(r), (r == '²' || r == '³') && before == 'm':
			out.WriteString(norm.NFKC.String(text[i : i+n]))
		default:
			out.WriteString(text[i : i+n])
		}
		before = r
		i += n
	}
	return out.String()
}

// mayStandFor reports whether compatible may change a rune.
func mayStandFor(r rune) bool {
	return r >= 0xB2 && (standsFor(r) || halfHangul(r) || r >= 'Ⅰ' && r <= 'ⅿ' || r >= '①' && r <= '⑳' || r == '²' || r == '³')
}

func halfHangul(r rune) bool { return r >= 0xFFA0 && r <= 0xFFDC }

// Initial and final jamo of a syllable, in Unicode's order.
const (
	initials = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
	finals   = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
)

// composed composes jamo as a keyboard does: a consonant before a vowel starts a syllable. NFKC treats every
// consonant as an initial.
func composed(jamo []rune) string {
	vowel := func(i int) bool { return i < len(jamo) && jamo[i] >= 'ㅏ' && jamo[i] <= 'ㅣ' }
	place := func(of string, i int) int {
		if i >= len(jamo) || !strings.ContainsRune(of, jamo[i]) {
			return -1
		}
		return strings.IndexRune(of, jamo[i]) / len("ㄱ")
	}
	var out strings.Builder
	for i := 0; i < len(jamo); {
		first := place(initials, i)
		if first < 0 || !vowel(i+1) {
			out.WriteRune(jamo[i])
			i++
			continue
		}
		r := '가' + rune(first)*588 + (jamo[i+1]-'ㅏ')*28
		i += 2
		if last := place(finals, i); last >= 0 && !vowel(i+1) {
			r += rune(last) + 1
			i++
		}
		out.WriteRune(r)
	}
	return out.String()
}

// standsFor reports whether a rune always means the same as its NFKC form.
func standsFor(r rune) bool {
	switch {
	case r < 0x2103:
		return false
	case r == '℃', r == '℉', r == 'ℓ':
		return true
	case r >= '⑴' && r <= '⒛', r >= '⒜' && r <= '⓪': // bracketed and circled numbers and letters
		return true
	case r >= '㈎' && r <= '㈞', r >= '㈠' && r <= '㉃', r >= '㉑' && r <= '㉟', r >= '㉮' && r <= '㉻', r >= '㊀' && r <= '㊿':
		return true
	case r >= 0x3300 && r <= 0x33FF: // units, and words in a square
		return true
	case r >= 0xFB00 && r <= 0xFB06: // ligatures
		return true
	}
	return false
}

// roman converts a Roman numeral of one character: to a digit in chapter numbers (제Ⅲ장), otherwise to letters.
func roman(r, before rune, after string) string {
	n := int(r-'Ⅰ') + 1
	if r >= 'ⅰ' {
		n = int(r-'ⅰ') + 1
	}
	next, _ := utf8.DecodeRuneInString(after)
	if n <= 12 && (before == '제' || strings.ContainsRune("장편절부관항", next)) {
		return strconv.Itoa(n)
	}
	return norm.NFKC.String(string(r))
}
