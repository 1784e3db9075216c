package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"maru/phrase/fit"
	"maru/rag"
)

// words cuts s into lower-case runs of letters and digits, Latin ones without accents as in an
// index; Hangul shares no run with other letters: "OKR은" is "okr" and "은".
func words(s string) []string {
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

// subject are the words of a text that carry what it is about.
func subject(s string) []rag.Word {
	var a rag.Analyzer
	var out []rag.Word
	for _, w := range a.Query(fit.Cut(s, maxSubject)) {
		if w.Weight > 0 && len(w.Terms) > 0 {
			out = append(out, w)
		}
	}
	return out
}

// hollow reports whether a word says how something is asked, not what: it has no
// weight, or is a letter or a particle that is left over.
func hollow(w string) bool {
	if utf8.RuneCountInString(w) == 1 {
		return !unicode.IsDigit([]rune(w)[0])
	}
	return len(subject(w)) == 0
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func lower(s string) string { return strings.ToLower(fit.OneLine(s)) }
