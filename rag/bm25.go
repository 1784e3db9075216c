package rag

import "math"

// constants are BM25's k1 and b, and the bonus for the presence of a word, independent of its frequency. They differ
// by language because the terms do: a Korean word is a stem and its syllable pairs, so that a passage has more terms
// and a single pair says little. Tuned on every other question of KorQuAD and SciFact; docs/evaluation.md has the
// figures on all, README.md the reasons.
type constants struct{ k1, b, coverage float64 }

var (
	korean  = constants{k1: 0.9, b: 0.5, coverage: 0.7}
	english = constants{k1: 1.1, b: 0.75, coverage: 0.1}
)

// partWeight is the weight of a part of a question's word (a bigram, a hump of an identifier) relative to the whole.
// Parts add recall; at full weight they outvote whole words.
const partWeight = 0.4

// longPartWeight is partWeight in a long question. Fitted on the open half of TestChats, in rag/eval.
const longPartWeight = 0.7

// askedWeight is the rank weight of the word for the requested property.
const askedWeight = 0.7

// IDF returns the BM25 weight of a term in n of total passages.
func IDF(total, n int) float64 {
	return math.Log(1 + (float64(total)-float64(n)+0.5)/(float64(n)+0.5))
}

// English reports whether a term uses the English constants: words and numbers in ASCII. All others use the Korean
// ones.
func English(term string) bool { return term != "" && isAlnum(term[0]) }

// TF returns the BM25 weight of tf occurrences in a passage of the given length, in terms, against the average length. It
// lies between 0 and 1: the usual factor k1+1 is omitted because it does not change the order.
func TF(tf, length, average float64, inEnglish bool) float64 {
	if tf <= 0 {
		return 0
	}
	if average <= 0 {
		average = 1
	}
	c := korean
	if inEnglish {
		c = english
	}
	return tf / (tf + c.k1*(1-c.b+c.b*length/average))
}

// Coverage returns the rank bonus of a passage for distinct question words: BM25 alone prefers repetition of some words to
// one occurrence of all.
func Coverage(words []Evidence) float64 {
	sum := 0.0
	for _, w := range words {
		c := korean.coverage
		if w.English {
			c = english.coverage
		}
		sum += c * w.Weight * min(1, max(0, w.Match))
	}
	return sum
}
