package intent

import (
	"slices"
	"strings"
	"unicode"
)

// Calls reports whether a text has all the words by which somebody calls it, and whether each is surely meant: as a word of its
// own, in singular or plural, or in Korean with a particle or as the last part of a compound, "리뷰" in "코드리뷰를". Other beginnings
// are only likely: "review" in "reviewing" is meant, "form" in "format" and "회의" in "회의실" are not. A Korean verb is called by its stem, 먹는 as 먹기.
func Calls(text, about string) (likely, sure bool) {
	has, words := wordsOf(text), wordsOf(about)
	sure = len(words) > 0
	for _, word := range words {
		hangul := unicode.Is(unicode.Hangul, []rune(word)[0])
		compound := hangul && len([]rune(word)) > 1
		verb := strings.TrimSuffix(word, "는") // of "약 먹는 알림"
		begins := func(h string) bool {
			return verb != word && verb != "" && strings.HasPrefix(h, verb) || strings.HasPrefix(h, word) || compound && strings.Contains(h, word)
		}
		same := func(h string) bool {
			if hangul {
				_, rest, ends := cutLast(h, word)
				return ends && (rest == "" || particleKo.MatchString(rest)) && (compound || strings.HasPrefix(h, word))
			}
			return h == word || plural(word) == h || plural(h) == word || word == h+"es" || h == word+"es"
		}
		if !slices.ContainsFunc(has, same) {
			if sure = false; !slices.ContainsFunc(has, begins) {
				return false, false
			}
		}
	}
	return len(words) > 0, sure
}

// plural adds the s of a plural to a word that is long enough for one.
func plural(word string) string {
	if len(word) < 3 {
		return word
	}
	return word + "s"
}

// cutLast cuts s around the last instance of sep.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// wordsOf returns the words of a text in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
