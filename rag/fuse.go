package rag

import (
	"math"
	"slices"
)

// Similarity is how near a passage's vector is to the question's.
type Similarity struct {
	Key    int     // the caller's name for the passage
	Cosine float64 // of the two vectors
}

// rrfK flattens reciprocal ranks, as in the paper that proposed them.
const rrfK = 60

// VectorGate tells a similarity that means something from the best of many
// accidents. Given the mean and the deviation of a question's cosines over all
// n passages, it returns the score in [0,1] of one cosine: 0 for what chance
// alone would reach among n, 1 from three deviations above that. A model that
// knows nothing about the text, or a question about nothing in it, so gates itself.
func VectorGate(cosine, mean, deviation float64, n int) float64 {
	if n < 2 || deviation <= 0 {
		return 0
	}
	z := (cosine - mean) / deviation
	// With few passages no cosine can stand far out: (n-1)/sqrt(n) is the most there is.
	chance := min(math.Sqrt(2*math.Log(float64(n))), 0.6*float64(n-1)/math.Sqrt(float64(n)))
	return min(1, max(0, (z-chance)/3))
}

// Fuse merges a lexical ranking with a vector ranking, both best first, into
// one order of keys. It is reciprocal rank fusion behind a gate: vectors
// that do not pass [VectorGate] (gate 0) are not in the list at all, each vector's
// vote is weighted by its gate, and where the lexical best is sure
// (confidence from sure upwards) it stays first. Weak vectors therefore leave
// the lexical order as it is; see docs/decisions/0132.
func Fuse(lexical []int, confidence func(key int) float64, vectors []int, gate func(key int) float64) []int {
	const sure = 0.8
	score := map[int]float64{}
	var order []int
	vote := func(key int, w float64) {
		if _, ok := score[key]; !ok {
			order = append(order, key)
		}
		score[key] += w
	}
	for i, k := range lexical {
		vote(k, 1/float64(rrfK+i+1))
	}
	for i, k := range vectors {
		if g := gate(k); g > 0 {
			vote(k, g/float64(rrfK+i+1))
		}
	}
	slices.SortStableFunc(order, func(x, y int) int {
		switch {
		case score[x] > score[y]:
			return -1
		case score[x] < score[y]:
			return 1
		}
		return 0
	})
	if len(lexical) > 0 && confidence(lexical[0]) >= sure {
		i := slices.Index(order, lexical[0])
		copy(order[1:i+1], order[:i])
		order[0] = lexical[0]
	}
	return order
}
