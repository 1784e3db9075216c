package phrase

import "strings"

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

// Join returns sentences with a separator between them.
func Join(separator string, parts ...Sentence) Sentence {
	return Sentence{raw: separator, parts: parts, joined: true}
}

// In says the sentence in a language or locale, as [Say] does.
func (s Sentence) In(language string) string {
	switch {
	case s.joined:
		all := make([]string, len(s.parts))
		for i, p := range s.parts {
			all[i] = p.In(language)
		}
		return strings.Join(all, s.raw)
	case s.key != "":
		return Say(language, s.key, s.args...)
	}
	return s.raw
}

// Empty reports whether the sentence says nothing in any language.
func (s Sentence) Empty() bool { return s.key == "" && s.raw == "" && len(s.parts) == 0 }

// String is the sentence in [Fallback], for logs and tests.
func (s Sentence) String() string { return s.In(Fallback) }
