package rag

import (
	"math"
	"slices"
)

// rrfK flattens reciprocal ranks, as in the paper that proposed them.
const rrfK = 60

// VectorGate tells a similarity that means something from the best of many
// accidents. Given the mean and the deviation of a question's cosines over all
// n passages, it returns the score in [0,1] of one cosine: 0 if chance would
// bring one so high among n in more than one question of fifty, and the more the
// more surprising it is. A model that knows nothing about the texts, or a question
// about nothing in them, so gates itself, whatever scale the model's cosines have.
func VectorGate(cosine, mean, deviation float64, n int) float64 {
	const possible, certain = 1.7, 3.5 // powers of ten against chance
	if n < 2 || deviation <= 0 {
		return 0
	}
	z := (cosine - mean) / deviation
	chance := float64(n) * 0.5 * math.Erfc(z/math.Sqrt2)
	surprise := -math.Log10(max(chance, 1e-12))
	if surprise < possible {
		return 0
	}
	return min(1, surprise/certain)
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
