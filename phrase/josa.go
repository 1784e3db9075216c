package phrase

import (
	"slices"
	"strings"
	"unicode"
)

// particle chooses the form of a Korean particle that follows text: the one after
// a consonant ("이") or the one after a vowel ("가").
func particle(text, closed, open string) string {
	if end := endOf(text); end == consonant || end == rieul && open != "로" {
		return closed
	}
	return open
}

// ending is how a text ends when it is read aloud in Korean.
type ending int

const (
	vowel ending = iota
	consonant
	rieul // ㄹ, after which 로 stands and not 으로
)

// endOf finds how a text ends. Digits are read as Korean numbers (일, 육), a capital
// by its name (엘, 엠) and other Latin letters by the sound that most words end in.
func endOf(text string) ending {
	runes := []rune(text)
	for i, r := range slices.Backward(runes) {
		switch {
		case r >= 0xAC00 && r <= 0xD7A3:
			return coda((r - 0xAC00) % 28)
		case strings.ContainsRune("178LRl", r):
			return rieul
		case strings.ContainsRune("036MNmn", r), strings.HasSuffix(string(runes[:i+1]), "ng"), strings.HasSuffix(string(runes[:i+1]), "ck"):
			return consonant
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return vowel
		}
	}
	return vowel
}

// coda is the ending of a syllable by the number of its final consonant in
// Unicode.
func coda(n rune) ending {
	switch n {
	case 0:
		return vowel
	case 8:
		return rieul
	}
	return consonant
}
