package phrase

import (
	"slices"
	"strings"
)

// Sentence is a sentence to be rendered once the reader's language is known. The zero value
// is empty.
type Sentence struct {
	key    string
	args   []any
	raw    string
	parts  []Sentence // joined by raw
	joined bool
}

// Of returns the sentence of a key. Its arguments are those of [Say].
func Of(key string, args ...any) Sentence { return Sentence{key: key, args: args} }

// Raw returns text that is the same in every language because it is data: a name, or a
// server's error message.
func Raw(text string) Sentence { return Sentence{raw: text} }

// Join joins the non-empty sentences with a separator.
func Join(separator string, parts ...Sentence) Sentence {
	return Sentence{raw: separator, parts: parts, joined: true}
}

// In renders the sentence in a language or locale, as [Say] does.
func (s Sentence) In(language string) string {
	switch {
	case s.joined:
		var all []string
		for _, p := range s.parts {
			if text := p.In(language); text != "" {
				all = append(all, text)
			}
		}
		return strings.Join(all, s.raw)
	case s.key != "":
		return Say(language, s.key, s.args...)
	}
	return MomentWords(s.raw)
}

// Everywhere returns the sentence in each language, without duplicates, for searches in any
// language.
func (s Sentence) Everywhere() []string {
	var all []string
	for _, language := range books().languages {
		if text := s.In(language); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// Empty reports whether the sentence is empty in every language.
func (s Sentence) Empty() bool { return s.key == "" && s.raw == "" && len(s.parts) == 0 }

// String renders the sentence in [Fallback], for logs and tests.
func (s Sentence) String() string { return s.In(Fallback) }
