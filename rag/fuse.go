package rag

import "math"

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
