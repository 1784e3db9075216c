package rag

import "math"

// The BM25 constants. They beat the textbook's 1.2 and 0.75 on the Korean sets
// of docs/evaluation.md and lose half a point on SciFact.
const (
	bm25K1 = 0.9
	bm25B  = 0.4
)

// partWeight is how much a part of a question's word (a bigram, a hump of an
// identifier) counts beside the whole. Parts find what the whole misses; with
// full weight they outvote it. KorQuAD gains 0.2 points, SciFact 0.5.
const partWeight = 0.4

// IDF is the BM25 weight of a term that n of total passages hold.
func IDF(total, n int) float64 {
	return math.Log(1 + (float64(total)-float64(n)+0.5)/(float64(n)+0.5))
}

// TF is the BM25 weight of tf occurrences in a passage of the given length,
// in terms, where the average passage has the length average. It lies between
// 0 and 1: the usual factor k1+1 is left out because it changes no order.
func TF(tf, length, average float64) float64 {
	if tf <= 0 {
		return 0
	}
	if average <= 0 {
		average = 1
	}
	return tf / (tf + bm25K1*(1-bm25B+bm25B*length/average))
}
