package phrase

import (
	"regexp"
	"slices"
	"unicode"
)

// script is a writing system that distinguishes languages; nil for none.
type script = *unicode.RangeTable

// scripts are the distinguishing scripts. Kana precedes Han, which Japanese uses too.
var scripts = []script{
	unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Han, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew,
	unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Thai, unicode.Georgian, unicode.Armenian,
}

// share is the divisor for a text's dominant script: one letter in share suffices, since
// other scripts' texts contain Latin names and code.
const share = 5

// foreign matches parts that say nothing about a text's language: URLs, mentions, code.
var foreign = regexp.MustCompile("(?s)```.*?```|`[^`]*`|<[@#!][^>]*>|\\S+://\\S+")

// sampled is the number of letters of a catalogue that decide its script.
const sampled = 5000

// tally counts a text's letters by script, and returns the total.
func tally(text string, count map[script]int) (letters int) {
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if r < 0x250 { // Latin: the most frequent
			count[unicode.Latin]++
			continue
		}
		for _, s := range scripts {
			if unicode.Is(s, r) {
				count[s]++
				break
			}
		}
	}
	return letters
}

// chief returns a text's dominant script from its counts, nil for none.
func chief(count map[script]int, letters int) script {
	for _, s := range scripts {
		if n := count[s]; n > 0 && n*share >= letters {
			return s
		}
	}
	if count[unicode.Latin] > 0 {
		return unicode.Latin
	}
	return nil
}

// Spoken returns the catalogue language in which to answer words: one with their script, and
// among several the one of the person's locale, else [Fallback], else the first. Text without
// letters is answered in the locale's language.
func Spoken(words, locale string) string {
	own, _ := Match(locale)
	count := map[script]int{}
	wrote := chief(count, tally(foreign.ReplaceAllString(words, " "), count))
	if wrote == nil {
		return own
	}
	var fit []string
	for i, lang := range books().languages {
		if books().scripts[i] == wrote {
			fit = append(fit, lang)
		}
	}
	switch {
	case len(fit) == 0:
		return own
	case slices.Contains(fit, own):
		return own
	case slices.Contains(fit, Fallback):
		return Fallback
	}
	return fit[0]
}
