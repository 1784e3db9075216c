package answer

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"maru/phrase/fit"
	"maru/rag"
)

// maxInput bounds how much of a text is read, in bytes.
const maxInput = 64 << 10

// Words cuts s into lower-case runs of letters and digits, Latin ones without accents as in an
// index; Hangul shares no run with other letters: "OKR은" is "okr" and "은".
func Words(s string) []string {
	var out []string
	var cur strings.Builder
	kind := 0
	flush := func() {
		if cur.Len() > 0 {
			out = append(out, cur.String())
			cur.Reset()
		}
	}
	for _, r := range rag.Unaccented(norm.NFKC.String(s)) {
		k := 0
		if unicode.Is(unicode.Hangul, r) {
			k = 1
		} else if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '\'' && kind == 2 {
			k = 2
		}
		if k != kind {
			flush()
			kind = k
		}
		if k != 0 {
			cur.WriteRune(unicode.ToLower(r))
		}
	}
	flush()
	return out
}

// maxSubject bounds how much of a text is analysed, in runes.
const maxSubject = 2000

// Subject returns the words of a text that say what it is about; a text is analysed up to [maxSubject].
func Subject(s string) []rag.Word {
	var a rag.Analyzer
	var out []rag.Word
	for _, w := range a.Query(fit.Cut(s, maxSubject)) {
		if w.Weight > 0 && len(w.Terms) > 0 {
			out = append(out, w)
		}
	}
	return out
}

// Clean makes a text safe to read: composed (NFC), without control characters, at most 64 KiB.
func Clean(s string) string {
	if len(s) > maxInput {
		s = s[:maxInput]
	}
	return strings.TrimSpace(norm.NFC.String(fit.Clean(s)))
}
