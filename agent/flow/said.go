package flow

import (
	"encoding/json"
	"strings"
	"unicode"

	"maru/agent/llm"
	"maru/rag"
)

// maxDigits is how many digits of a number are nobody's words: how many results are
// wanted, which page.
const maxDigits = 2

// maxWord bounds, in bytes, the words that may go out in another form than they were said. A longer one is a key or a
// code: it must be the same.
const maxWord = 60

// said reports whether the person said every content word of a call's arguments.
// Words that the tool's schema has itself, such as choices, tell its service nothing.
func said(by []string, schema, arguments []byte) bool {
	var value any
	if err := llm.StrictJSON(arguments, &value); err != nil {
		return false
	}
	v := vocabulary{schema: string(schema), words: map[string]bool{}, terms: map[string]bool{}}
	for _, text := range by {
		v.learn(text)
	}
	return v.holds(value)
}

// vocabulary is the words that may go out: those of the person and of the tool's schema.
type vocabulary struct {
	analyzer rag.Analyzer
	schema   string
	words    map[string]bool
	terms    map[string]bool
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

// holds walks through arguments.
func (v *vocabulary) holds(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for key, inner := range value {
			if !v.text(key) || !v.holds(inner) {
				return false
			}
		}
	case []any:
		for _, inner := range value {
			if !v.holds(inner) {
				return false
			}
		}
	case string:
		return v.text(value)
	case float64, json.Number:
		raw, err := json.Marshal(value)
		return err == nil && (len(raw) <= maxDigits || v.text(string(raw)))
	}
	return true
}

func (v *vocabulary) text(text string) bool {
	if quoted, err := json.Marshal(text); err == nil && strings.Contains(v.schema, string(quoted)) {
		return true
	}
	for _, w := range wordsOf(text) {
		if !v.word(w) {
			return false
		}
	}
	return true
}

// word reports whether a word was said, in whatever form, or is no content word.
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
