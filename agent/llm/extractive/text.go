package extractive

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"maru/phrase/fit"
	"maru/rag/answer"
)

// hollow reports whether a word says how something is asked, not what: it has no
// weight, or is a letter or a particle that is left over.
func hollow(w string) bool {
	if utf8.RuneCountInString(w) == 1 {
		return !unicode.IsDigit([]rune(w)[0])
	}
	return len(answer.Subject(w)) == 0
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func lower(s string) string { return strings.ToLower(fit.OneLine(s)) }
