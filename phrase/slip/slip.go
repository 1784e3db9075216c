// Package slip computes the edit distance between a typed word and an intended one. Callers
// choose the threshold, which depends on the vocabulary's size and the cost of a wrong guess.
//
// It knows no language.
package slip

// Count returns the minimum number of typing slips from a to b: insertions, deletions,
// substitutions and swaps of neighbours. It counts up to enough, which it returns for larger
// distances.
func Count[L comparable](a, b []L, enough int) int {
	if diff := len(a) - len(b); diff >= enough || -diff >= enough {
		return enough
	}
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev, row = prev, row, before
	}
	return min(prev[len(b)], enough)
}
