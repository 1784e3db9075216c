package flow

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"maru/agent/llm"
	"maru/phrase/fit"
	"maru/rag"
)

// maxDigits is how many digits of a number are nobody's words: how many results are
// wanted, which page.
const maxDigits = 2

// maxWord bounds, in bytes, the words that may go out in another form than they were said. A longer one is a key or a
// code: it must be the same.
const maxWord = 60

// unsaid returns the content words of a call's arguments that nobody of by said, each once.
// Words that the tool's schema has itself, such as choices, tell its service nothing.
// readable is false for arguments that are no JSON.
func unsaid(by []string, schema, arguments []byte) (words []string, readable bool) {
	var value any
	if err := llm.StrictJSON(arguments, &value); err != nil {
		return nil, false
	}
	v := vocabulary{schema: string(schema), words: map[string]bool{}, terms: map[string]bool{}}
	for _, text := range by {
		v.learn(text)
	}
	v.walk(value)
	return v.unsaid, true
}

// vocabulary is the words that may go out: those of the person and of the tool's schema.
type vocabulary struct {
	analyzer rag.Analyzer
	schema   string
	words    map[string]bool
	terms    map[string]bool
	unsaid   []string // the others
}

// wordsOf splits a text at everything that is neither letter, mark nor digit.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

func (v *vocabulary) learn(text string) {
	v.learnTerms(text) // a number may be written with marks between its digits
	for _, w := range wordsOf(text) {
		v.words[w] = true
		v.learnTerms(w)
	}
}

func (v *vocabulary) learnTerms(text string) {
	for _, q := range v.analyzer.Query(text) {
		if len(q.Terms) > 0 {
			v.terms[q.Terms[0]] = true
		}
	}
}

// walk collects the words of arguments that may not go out.
func (v *vocabulary) walk(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			v.text(key)
			v.walk(value[key])
		}
	case []any:
		for _, inner := range value {
			v.walk(inner)
		}
	case string:
		v.text(value)
	case float64, json.Number:
		if raw, err := json.Marshal(value); err != nil || len(raw) > maxDigits {
			v.text(string(raw))
		}
	}
}

func (v *vocabulary) text(text string) {
	if quoted, err := json.Marshal(text); err == nil && strings.Contains(v.schema, string(quoted)) {
		return
	}
	for _, w := range wordsOf(text) {
		if !v.word(w) && !slices.Contains(v.unsaid, w) {
			v.unsaid = append(v.unsaid, w)
		}
	}
}

// word reports whether a word was said, in any form, or is a function word.
func (v *vocabulary) word(w string) bool {
	if v.words[w] {
		return true
	}
	parts := v.analyzer.Query(w)
	if len(parts) == 0 || len(w) > maxWord { // what it is cannot be told
		return false
	}
	for _, p := range parts {
		if p.Weight > 0 && (len(p.Terms) == 0 || !v.terms[p.Terms[0]]) {
			return false
		}
	}
	return true
}

// content reports whether a word is one of the contents, such as a noun, and no particle or stop word.
func (v *vocabulary) content(w string) bool {
	return slices.ContainsFunc(v.analyzer.Query(w), func(p rag.Word) bool { return p.Weight > 0 })
}

// Stands reports whether a value occurs in a text as a word of its own. A particle may follow Korean.
func Stands(text, value string) bool {
	text, value = strings.ToLower(fit.OneLine(text)), strings.ToLower(fit.OneLine(value))
	if utf8.RuneCountInString(value) < 2 {
		return false
	}
	word := func(r rune) bool { return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	first, _ := utf8.DecodeRuneInString(value)
	last, _ := utf8.DecodeLastRuneInString(value)
	for from := 0; ; {
		i := strings.Index(text[from:], value)
		if i < 0 {
			return false
		}
		begin, end := from+i, from+i+len(value)
		before, _ := utf8.DecodeLastRuneInString(text[:begin])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (begin == 0 || !word(first) || !word(before)) && (end == len(text) || !word(last) || !word(after)) {
			return true
		}
		from = begin + len(value)
	}
}

// Today returns the day as words that every query may have.
func Today(now time.Time) string { return now.Format("2006 01 02 January Monday " + time.DateOnly) }
