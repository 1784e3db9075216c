package rag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// fold normalises text for analysis: composed (NFC, so that a file name from a Mac and a word from a phone are
// equal), without compatibility forms (see [compatible]), narrow Latin and wide Hangul, Latin letters without accents (cafe finds café), lower case, without soft
// hyphens and zero-width characters. keepCase keeps case for the humps of identifiers.
func fold(text string, keepCase bool) string {
	if !isPlain(text) {
		if !norm.NFC.IsNormalString(text) {
			text = norm.NFC.String(text)
		}
		text = Unaccented(foldWidth(compatible(text)))
	}
	if keepCase {
		return text
	}
	return lower(text)
}

// isPlain reports whether a text is only ASCII, Hangul syllables and the marks of Korean statutes, which normalisation
// leaves alone. Most texts are, and the check costs a tenth of normalising.
func isPlain(text string) bool {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isHangul(r) && !inert(r) || r >= '①' && r <= '⑳' && strings.HasSuffix(text[:i], "제") {
			return false
		}
		i += n
	}
	return true
}

// inert reports whether a rune is a mark that no normalisation changes and that joins with none beside it: ① to ⑳, 「」,
// ㆍ, “”.
func inert(r rune) bool {
	return r >= '①' && r <= '⑳' || r >= '、' && r <= '】' || r == middleDot || r == '“' || r == '”' || r == '·'
}

// foldWidth narrows full-width forms and widens half-width Hangul and Kana; most text has neither.
func foldWidth(text string) string {
	for _, r := range text {
		if (r >= 0xFF01 && r <= 0xFFEE) || r == 0x3000 || r == 0x00AD || (r >= 0x200B && r <= 0x200D) || r == 0xFEFF {
			out := make([]rune, 0, len(text))
			for _, r := range width.Fold.String(text) {
				if r == 0x00AD || (r >= 0x200B && r <= 0x200D) || r == 0xFEFF {
					continue
				}
				out = append(out, r)
			}
			return norm.NFC.String(string(out))
		}
	}
	return text
}

// accented reports whether a rune may be a Latin letter with a mark, or a combining mark.
func accented(r rune) bool {
	return r >= 0xC0 && r <= 0x24F || r >= 0x300 && r <= 0x36F || r >= 0x1E00 && r <= 0x1EFF || r == curly
}

// curly is the apostrophe of word processors: don’t is don't.
const curly = '’'

// unmarked maps special Latin letters, such as ø, to plain ones.
var unmarked = map[rune]string{
	'Æ': "AE", 'æ': "ae", 'Œ': "OE", 'œ': "oe", 'Ø': "O", 'ø': "o", 'ß': "ss", 'Ð': "D", 'ð': "d",
	'Đ': "D", 'đ': "d", 'Þ': "Th", 'þ': "th", 'Ł': "L", 'ł': "l", 'ı': "i", curly: "'",
}

// Unaccented removes the marks from Latin letters: café, naïve, Ångström. Other scripts keep theirs, since й is a
// different letter from и; most text has none.
func Unaccented(text string) string {
	at := strings.IndexFunc(text, accented)
	if at < 0 {
		return text
	}
	var out strings.Builder
	out.Grow(len(text))
	out.WriteString(text[:at])
	latin := at > 0 && isAlnum(text[at-1]) // marks that follow belong to a Latin letter
	for _, r := range text[at:] {
		switch s, ok := unmarked[r]; {
		case ok:
			out.WriteString(s)
			latin = true
			continue
		case r >= 0x300 && r <= 0x36F && latin:
			continue
		case accented(r):
			if base := norm.NFD.String(string(r)); base[0] < utf8.RuneSelf {
				r = rune(base[0])
			}
		}
		out.WriteRune(r)
		latin = r < utf8.RuneSelf && isAlnum(byte(r))
	}
	return out.String()
}

func lower(text string) string {
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c >= utf8.RuneSelf || ('A' <= c && c <= 'Z') {
			out := make([]rune, 0, len(text))
			for _, r := range text {
				out = append(out, unicode.ToLower(r))
			}
			return string(out)
		}
	}
	return text
}
