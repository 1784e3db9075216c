package rag

import "math"

// constants are BM25's k1 and b, and how much it counts that a passage holds a
// word at all, beside how often. They differ by language because their terms
// do: a Korean word is a stem and its syllable pairs, so that a passage has more
// terms and a pair alone says little. Tuned on every other question of KorQuAD
// and SciFact; docs/evaluation.md gives the figures on all, README.md the
// choice.
type constants struct{ k1, b, coverage float64 }

var (
	korean  = constants{k1: 0.9, b: 0.5, coverage: 0.7}
	english = constants{k1: 1.1, b: 0.75, coverage: 0.1}
)

// partWeight is how much a part of a question's word (a bigram, a hump of an
// identifier) counts beside the whole. Parts find what the whole misses; with
// full weight they outvote it.
const partWeight = 0.4

// askedWeight is how much the word that names what is asked for counts in rank.
const askedWeight = 0.7

// IDF is the BM25 weight of a term that n of total passages hold.
func IDF(total, n int) float64 {
	return math.Log(1 + (float64(total)-float64(n)+0.5)/(float64(n)+0.5))
}

// English reports whether a term is ranked with the constants of English: words
// and numbers in ASCII. All others are ranked as Korean is.
func English(term string) bool { return term != "" && isAlnum(term[0]) }

// TF is the BM25 weight of tf occurrences in a passage of the given length,
// in terms, where the average passage has the length average. It lies between
// 0 and 1: the usual factor k1+1 is left out because it changes no order.
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

// Coverage is what a passage gains in rank for the words of the question that it
// holds, however often: BM25 alone prefers one that repeats some words to one
// that has them all.
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
