// Package slip counts the slips of the keyboard between what somebody wrote and
// what they may have meant. How many are too many is for who asks: it depends on
// how many words there are and on what a wrong guess costs.
//
// It knows no language and no word.
package slip

// Count is the least number of slips that make b out of a: a letter too much, too
// few, another one, or two neighbours swapped. It counts up to enough, which it
// returns for all that is further away. A letter is whatever the caller compares by.
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
