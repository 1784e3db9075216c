package phrase

import (
	"slices"
	"strings"
)

// Sentence is something to be said once it is known who reads it. The zero value
// says nothing.
type Sentence struct {
	key    string
	args   []any
	raw    string
	parts  []Sentence // joined by raw
	joined bool
}

// Of returns the sentence of a key. Its arguments are those of [Say].
func Of(key string, args ...any) Sentence { return Sentence{key: key, args: args} }

// Raw returns words that are the same in every language, because they are data:
// a name, or what a server says of itself.
func Raw(text string) Sentence { return Sentence{raw: text} }

// Join returns sentences with a separator between them, without those that say
// nothing.
func Join(separator string, parts ...Sentence) Sentence {
	return Sentence{raw: separator, parts: parts, joined: true}
}

// In says the sentence in a language or locale, as [Say] does.
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
	return s.raw
}

// Everywhere returns what the sentence says in each language, once where they say
// the same: what it is looked for by, whoever asks.
func (s Sentence) Everywhere() []string {
	var all []string
	for _, language := range books().languages {
		if text := s.In(language); text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// Empty reports whether the sentence says nothing in any language.
func (s Sentence) Empty() bool { return s.key == "" && s.raw == "" && len(s.parts) == 0 }

// String is the sentence in [Fallback], for logs and tests.
func (s Sentence) String() string { return s.In(Fallback) }
