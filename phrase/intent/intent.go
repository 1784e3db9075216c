// Package intent reads what a short message means without a model: yes, no,
// skip, stop, a courtesy that wants no answer, a question, a request, or
// something to remember. It is the only list of people's words for these, in
// Korean and in English.
//
// Every function is conservative: a text that could mean something else is not
// matched, since callers approve, cancel and store on its word. The package knows
// nothing of questions that wait, of documents or of a thread's past; callers
// decide what a matched intent does.
package intent

import (
	"strings"
	"unicode"
)

// joined is text in lower case without spaces and the punctuation of short
// replies: Korean is spaced freely ("진행 해 줘", "진행해줘").
func joined(text string) string { return strings.Join(fields(text), "") }

// fields cuts text into lower-case words at spaces and light punctuation.
func fields(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(".,!~;:…。", r)
	})
}

// hangul reports whether text has a Korean syllable.
func hangul(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return 0xAC00 <= r && r <= 0xD7A3 })
}

// set makes a lookup of the words in list.
func set(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}
