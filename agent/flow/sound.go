package flow

import (
	"slices"
	"strings"
	"unicode/utf8"

	"maru/phrase/zone"
	"maru/rag"
)

// Consonants of names that are compared by their sound. A place is one that is known; as a person's name two say too little: 대리
// (a rank) and Dolly.
const (
	fewestOfPlace  = 2
	fewestOfPerson = 3
)

// sounds reports whether a name was said in the other letters: Seoul and 서울.
func (g *Given) sounds(name string) bool {
	in, known := zone.Named(place(name))
	return len(g.people.Like(name, fewestOfPerson)) > 0 || known && slices.ContainsFunc(g.voices.Like(name, fewestOfPlace), func(said string) bool {
		return zoneOf(said) == in
	})
}

// place writes a place as [zone.Named] knows it.
func place(name string) string { return strings.Join(wordsOf(name), "") }

// zoneOf returns the time zone of a place with a particle, "" if the word is not a place.
func zoneOf(word string) string {
	for end := len(word); end > 0; {
		if in, ok := zone.Named(word[:end]); ok && (end == len(word) || rag.IsParticle(word[end:])) {
			return in
		}
		_, size := utf8.DecodeLastRuneInString(word[:end])
		end -= size
	}
	return ""
}

// isCountryOf reports whether a part of a value is the country of a known place that was given: "Kuala Lumpur, Malaysia". After
// other words it is a name: "Minsu, Jordan".
func (g *Given) isCountryOf(part string, list []string) bool {
	return slices.ContainsFunc(list, func(other string) bool {
		in, known := zone.Named(place(other))
		return known && !zone.IsCountry(other) && zone.Within(in, part) && g.hasMost(other, true)
	})
}
