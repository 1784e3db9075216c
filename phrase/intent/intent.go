// Package intent classifies short messages without a model: yes, no, skip, stop, a courtesy
// that expects no answer, a question, a request, or something to remember. It holds the only
// word lists for these, in Korean and English.
//
// Every function is conservative: an ambiguous text does not match, since callers approve,
// cancel and store on its result. The package knows nothing of open questions, documents or a
// thread's history; callers decide the effect of an intent.
package intent

import (
	"strings"
	"unicode"
)

// fields cuts text into lower-case words at spaces and light punctuation. Callers join them without
// spaces, as Korean spacing varies ("진행 해 줘", "진행해줘").
func fields(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(strings.ToLower(text), "’", "'"), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(".,!~;:…。–—", r)
	})
}

// Replacers of signs between words. They are made once: each is a table of some kilobytes.
var (
	unasked  = strings.NewReplacer("?", " ", ">", " ")
	unfaced  = strings.NewReplacer("?", " ", "^", "") // without the eyes of ^^
	unquoted = strings.NewReplacer(`"`, " ", "“", " ", "”", " ", "'", " ", "‘", " ", "’", " ", "?", " ")
)

// hangul reports whether text has a Korean syllable.
func hangul(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return 0xAC00 <= r && r <= 0xD7A3 })
}

// set builds a lookup of the words in list.
func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
