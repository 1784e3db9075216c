//go:build race

package confine

// RaceDetector reports whether memory is not bounded: its shadow alone is larger.
const RaceDetector = true
