package forecast

import (
	"strconv"

	"maru/bot/tally"
)

// span writes a range of numbers, the larger ones with two digits that count.
func span(low, high int) string {
	a, b := tally.Thousands(rounded(low)), tally.Thousands(rounded(high))
	if a == b {
		return a
	}
	return a + "–" + b
}

// prices writes a range of money.
func prices(low, high float64) string {
	a, b := strconv.FormatFloat(low, 'f', 4, 64), strconv.FormatFloat(high, 'f', 4, 64)
	if a == b {
		return a
	}
	return a + "–" + b
}

// rounded keeps the first two digits of a number.
func rounded(n int) int {
	unit := 1
	for range max(len(strconv.Itoa(n))-2, 0) {
		unit *= 10
	}
	return (n + unit/2) / unit * unit
}
