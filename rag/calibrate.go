package rag

import "strings"

// DefaultThreshold is the score below which an index returns nothing unless the
// query says otherwise. docs/decisions/0131 shows how it was set: at it, nine
// in ten questions about the handbook are answered and nine in ten about
// something else are not.
const DefaultThreshold = 0.4

// Evidence is what a passage holds of one word of the question: the word's
// weight (its IDF in what the asker may read, the largest there is if nothing
// holds it) and how much of the word the passage has, from 0 to 1.
type Evidence struct {
	Weight   float64
	Match    float64
	Sentence int  // of the question that the word stands in
	English  bool // an English word, not a number or a code: see [Coverage]
}

// Confidence says from 0 to 1 how surely a passage is about a question: the
// share of the question's weight that the passage holds. A rare word that the
// passage lacks counts against it more than a common one, so that sharing
// "company" with a question about the company's dividend is not enough.
// Unlike a BM25 score it means the same in a collection of ten passages and of
// a million. Of several sentences the best covered one decides: people say
// hello and who they are before they ask.
func Confidence(words []Evidence) float64 {
	best, have, all := 0.0, 0.0, 0.0
	for i, w := range words {
		if i > 0 && w.Sentence != words[i-1].Sentence {
			have, all = 0, 0
		}
		all += w.Weight
		have += w.Weight * min(1, max(0, w.Match))
		if last := i+1 == len(words) || words[i+1].Sentence != w.Sentence; last && all > 0 {
			best = max(best, have/all)
		}
	}
	return best
}

// PartialMatch says how much of a word a passage has that lacks the word itself
// but holds this share of its parts. A few shared syllables are chance: less
// than half of the parts counts nothing.
func PartialMatch(share float64) float64 {
	if share < 0.5 {
		return 0
	}
	return 0.85 * share
}

// HeldBy says how much of the word a text of these terms has, from 0 to 1: the word itself,
// or enough of its parts.
func (w Word) HeldBy(terms map[string]bool) float64 {
	if terms[w.Terms[0]] {
		return 1
	}
	parts := w.Parts()
	if len(parts) == 0 {
		return 0
	}
	n := 0
	for _, t := range parts {
		if terms[t] {
			n++
		}
	}
	return PartialMatch(float64(n) / float64(len(parts)))
}

// UnknownModifier multiplies the weight of a word that stands nowhere in what
// the asker may read and narrows the next word down ([Word].Modifier): who
// asks for the wifi password is not answered by a page on passwords.
const UnknownModifier = 1.3

// modifies reports that the first of two neighbouring words narrows the
// second down: wifi password, 와이파이 비밀번호, 한국의 수도.
func modifies(w, next Word) bool {
	if w.Weight < 1 || next.Weight < 1 {
		return false
	}
	if strings.HasSuffix(w.Text, "ing") {
		return false // running late: a verb
	}
	return !isHangulWord(w) || w.Text == w.Terms[0] || w.Text == w.Terms[0]+"의"
}
