package rag

import (
	"strings"
	"unicode/utf8"
)

// sieve rejects most words that are not in a question by a few of their letters. It has false positives but no false
// negatives.
type sieve struct {
	pairs  [8]uint64 // syllable pairs, hashed
	firsts [8]uint64 // first syllables of Korean stems of one syllable, hashed
	begins [26]uint32
	latin  bool // the question has a Latin stem other than of two or more letters
}

func hash(s string) (word, bit int) {
	h := uint32(2166136261) // FNV-1a
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	h ^= h >> 15
	return int(h>>6) & 7, int(h) & 63
}

// stem adds a stem of the question.
func (s *sieve) stem(stem string) {
	r, _ := utf8.DecodeRuneInString(stem)
	switch {
	case isHangul(r) && len(stem) < 2*syllable:
		w, b := hash(stem)
		s.firsts[w] |= 1 << b
	case isHangul(r):
		s.pair(stem[:2*syllable])
	case len(stem) >= 2 && isLower(stem[0]) && isLower(stem[1]):
		s.begins[stem[0]-'a'] |= 1 << (vowel(stem[1]) - 'a')
	case len(stem) > 0 && isLower(stem[0]):
		s.latin = true
	}
}

// part adds a part of a question's word.
func (s *sieve) part(part string) {
	if pair, ok := strings.CutPrefix(part, partMark); ok && len(pair) == 2*syllable {
		s.pair(pair)
		return
	}
	s.stem(part) // a hump
}

func (s *sieve) pair(pair string) {
	w, b := hash(pair)
	s.pairs[w] |= 1 << b
}

// vowel treats y as i, as the stems of dying and skies do.
func vowel(c byte) byte {
	if c == 'y' {
		return 'i'
	}
	return c
}

// other reports whether a word is not in the question, and its number of whole terms.
func (s *sieve) other(t token) (terms int, other bool) {
	switch t.kind {
	case kindHangul:
		if w, b := hash(t.text[:syllable]); s.firsts[w]&(1<<b) != 0 {
			return 0, false
		}
		for i := 0; i+2*syllable <= len(t.text); i += syllable {
			if w, b := hash(t.text[i : i+2*syllable]); s.pairs[w]&(1<<b) != 0 {
				return 0, false
			}
		}
		return 1, true
	case kindLatin:
		return s.otherLatin(t.text)
	default:
		return 0, false
	}
}

// otherLatin handles lower-case words, possibly capitalised.
func (s *sieve) otherLatin(word string) (terms int, other bool) {
	if s.latin || len(word) < 2 {
		return 0, false
	}
	for i := 1; i < len(word); i++ {
		if !isLower(word[i]) {
			return 0, false
		}
	}
	first := lowerByte(word[0])
	if !isLower(first) || s.begins[first-'a']&(1<<(vowel(word[1])-'a')) != 0 {
		return 0, false
	}
	if len(word) <= longestStop && englishStop[lower(word)] {
		return 0, true
	}
	return 1, true
}

// longestStop is the length of the longest of [englishStop].
const longestStop = 5
