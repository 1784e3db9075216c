package rag

import "strings"

// DefaultThreshold is the confidence below which an index returns nothing, unless the query sets its own. At this
// value nine in ten handbook questions are answered and nine in ten questions about other topics are declined
// (docs/evaluation.md).
const DefaultThreshold = 0.4

// Evidence is a passage's match of one question word: the word's weight (its IDF in the readable scopes, the maximum
// if no passage holds it) and the matched share of the word, from 0 to 1.
type Evidence struct {
	Weight   float64
	Match    float64
	Sentence int  // index of the word's sentence in the question
	English  bool // an English word, not a number or a code: see [Coverage]
}

// Confidence estimates from 0 to 1 how surely a passage is about a question: the matched share of the question's
// weight. A missing rare word costs more than a missing common one, so that sharing "company" with a question about
// the company's dividend is not enough. Unlike a BM25 score it is comparable between collections of ten passages and
// of a million. The best-covered of several sentences decides, since people greet and introduce themselves first.
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

// PartialMatch returns the matched share of a word of which a passage holds only this share of the parts. Below half
// of the parts it is 0: a few shared syllables are chance.
func PartialMatch(share float64) float64 {
	if share < 0.5 {
		return 0
	}
	return 0.85 * share
}

// HeldBy returns the share of the word that a set of terms matches, from 0 to 1: the word itself, or enough of its
// parts.
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

// UnknownModifier multiplies the weight of a modifier ([Word].Modifier) that no readable passage holds: a page on
// passwords does not answer a question about the wifi password.
const UnknownModifier = 1.3

// modifies reports whether the first of two neighbouring words modifies the second: wifi password, 와이파이 비밀번호, 한국의 수도.
func modifies(w, next Word) bool {
	if w.Weight < 1 || next.Weight < 1 {
		return false
	}
	if strings.HasSuffix(w.Text, "ing") {
		return false // running late: a verb
	}
	return !isHangulWord(w) || w.Text == w.Terms[0] || w.Text == w.Terms[0]+"의"
}
