package config

// nearest returns the option that is at most limit slips of the keyboard away
// from word: a letter too much, too few, another one, or two swapped.
func nearest(word string, options []string, limit int) (string, bool) {
	best, found := limit+1, ""
	for _, option := range options {
		if d := slips(word, option, best); d < best {
			best, found = d, option
		}
	}
	return found, found != ""
}

// slips is the optimal string alignment distance of a and b, or enough when it
// is that or more.
func slips(a, b string, enough int) int {
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
