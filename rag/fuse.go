package rag

import "math"

// VectorGate tests a cosine for significance. Given the mean and the population deviation of a question's cosines
// over all n passages, it returns a score in [0,1]: 0 if chance would produce so high a maximum among n in more than
// one question of fifty, rising with its improbability. A model without knowledge of the texts, or an unrelated
// question, thus gates itself, on any scale of cosines.
func VectorGate(cosine, mean, deviation float64, n int) float64 {
	const possible, certain = 1.7, 3.5 // powers of ten against chance
	if n < 3 || deviation <= 0 || cosine <= mean {
		return 0
	}
	chance := float64(n) * 0.5 * math.Erfc(besideTheOthers((cosine-mean)/deviation, n)/math.Sqrt2)
	surprise := -math.Log10(max(chance, 1e-12))
	if surprise < possible {
		return 0
	}
	return min(1, surprise/certain)
}

// besideTheOthers converts a value's z-score among n values, itself included, to the z of the same probability by
// its distance from the others alone. Among few values an outlier inflates the deviation: no z among n exceeds
// sqrt(n-1). The distance from the others follows Student's t with n-2 degrees of freedom, t² = z²(n-2)/(n-1-z²);
// the normal z of the same tail is D. L. Wallace's approximation (Bounds on Normal Approximations to Student's and
// the Chi-Square Distributions, Annals of Mathematical Statistics 30, 1959). For many values it equals z.
func besideTheOthers(z float64, n int) float64 {
	freedom := float64(n - 2)
	rest := max(1-z*z/float64(n-1), 1e-12) // share of the deviation caused by the others
	return (8*freedom + 1) / (8*freedom + 3) * math.Sqrt(-freedom*math.Log(rest))
}
