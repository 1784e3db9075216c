package longterm

import (
	"strings"

	"maru/phrase"
)

// Worded returns the text of a preference for people. The key of a topic, by which a new wish replaces the old
// one, becomes its name in their language; a remark says itself once.
func Worded(text, lang string) string {
	name, rest, ok := strings.Cut(text, ": ")
	if !ok {
		return text
	}
	if name == rest { // a remark, by its own words
		return rest
	}
	for _, t := range topics {
		if t.name == name {
			return phrase.Say(lang, t.words) + ": " + rest
		}
	}
	return text
}
