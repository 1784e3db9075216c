package longterm

import (
	"math"
	"time"
)

// Multiplier says how much a number of samples proves.
func Multiplier(samples int) float64 {
	switch {
	case samples <= 0:
		return 0
	case samples == 1:
		return 0.3
	case samples == 2:
		return 0.5
	case samples <= 4:
		return 0.7
	}
	return 1
}

// Confidence weighs a raw confidence in [0,1] by the number of samples behind
// it: raw × (0.7 + 0.3 × Multiplier).
func Confidence(raw float64, samples int) float64 {
	return unit(raw) * (0.7 + 0.3*Multiplier(samples))
}

// halfLife is how long it takes until what was learned counts half as recent.
const halfLife = 30 * 24 * time.Hour

// Recency is 1 for now and halves every thirty days.
func Recency(last, now time.Time) float64 {
	age := now.Sub(last)
	if age <= 0 {
		return 1
	}
	return math.Exp2(-float64(age) / float64(halfLife))
}

// rank is the order in which matches are shown: mostly what they are about,
// then how sure they are, then how fresh.
func rank(relevance, confidence, recency float64) float64 {
	return 0.6*relevance + 0.25*confidence + 0.15*recency
}

// rate is the share of successes, 0 of nothing.
func rate(successes, of int) float64 {
	if of <= 0 {
		return 0
	}
	return float64(successes) / float64(of)
}

// unit bounds x to [0,1]; what is no number is 0.
func unit(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}
