package longterm

import (
	"math"
	"time"
)

// multiplier returns the evidential weight of a number of samples.
func multiplier(samples int) float64 {
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
// it: raw × (0.7 + 0.3 × multiplier).
func Confidence(raw float64, samples int) float64 {
	return unit(raw) * (0.7 + 0.3*multiplier(samples))
}

// halfLife is the half-life of a lesson's recency.
const halfLife = 30 * 24 * time.Hour

// Recency returns 1 for now, halved for every thirty days of age.
func Recency(last, now time.Time) float64 {
	age := now.Sub(last)
	if age <= 0 {
		return 1
	}
	return math.Exp2(-float64(age) / float64(halfLife))
}

// rank orders matches by relevance, then confidence, then recency.
func rank(relevance, confidence, recency float64) float64 {
	return 0.6*relevance + 0.25*confidence + 0.15*recency
}

// rate returns the share of successes, 0 without samples.
func rate(successes, of int) float64 {
	if of <= 0 {
		return 0
	}
	return float64(successes) / float64(of)
}

// unit clamps x to [0,1]; NaN becomes 0.
func unit(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return min(x, 1)
}
