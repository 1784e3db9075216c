package phrase

import (
	"regexp"
	"slices"
	"unicode"
)

// script is a writing system that catalogues and people's words are told apart
// by; nil is none.
type script = *unicode.RangeTable

// scripts are those that a language can be told by. Kana stands before Han, which
// Japanese uses too.
var scripts = []script{
	unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Han, unicode.Cyrillic, unicode.Greek, unicode.Arabic, unicode.Hebrew,
	unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Thai, unicode.Georgian, unicode.Armenian,
}

// share is how many letters of a text, one in share, make its language: people
// who write another script put Latin names and code into it.
const share = 5

// foreign stands in people's words without being in their language: addresses,
// mentions as platforms write them, code.
var foreign = regexp.MustCompile("(?s)```.*?```|`[^`]*`|<[@#!][^>]*>|\\S+://\\S+")

// scriptOf is the script of a catalogue.
func scriptOf(list map[string]string) script {
	count, letters := map[script]int{}, 0
	for _, text := range list {
		letters += tally(text, count)
	}
	return chief(count, letters)
}

// tally counts the letters of a text by their script, and all of them.
func tally(text string, count map[script]int) (letters int) {
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if r < 0x250 { // Latin: most letters of most texts
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

// chief is the script that a text with so many letters is in, nil if it has none.
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

// Spoken returns the language in which to answer words, of those that there is a
// catalogue of: one that is written as they are, and among several the person's
// own by their locale, else [Fallback], else the first. Words without letters are
// answered in the person's own language.
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
