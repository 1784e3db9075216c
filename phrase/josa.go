package phrase

import (
	"slices"
	"strings"
	"unicode"
)

// particle returns the form of a Korean particle after text: closed after a consonant ("이"),
// open after a vowel ("가").
func particle(text, closed, open string) string {
	if end := endOf(text); end == consonant || end == rieul && open != "로" {
		return closed
	}
	return open
}

// ending classifies the last sound of a text read aloud in Korean.
type ending int

const (
	vowel ending = iota
	consonant
	rieul // ㄹ, followed by 로 instead of 으로
)

// endOf returns the ending of a text. Digits are read as Korean numbers (일, 육), capitals by
// their names (엘, 엠), and other Latin letters by the most common sound of words that end in
// them.
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

// coda returns a syllable's ending from the index of its final consonant in Unicode.
func coda(n rune) ending {
	switch n {
	case 0:
		return vowel
	case 8:
		return rieul
	}
	return consonant
}
