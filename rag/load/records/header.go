package records

import (
	"slices"
	"strconv"
	"strings"
)

const (
	// Head is how many records it takes to find the names of columns.
	Head = 40

	maxTitles = 12 // lines above them
)

// HeaderOf returns which record has the names of the columns: the first as wide as the rows of the table. Lines of a
// name and a value above an empty line are none of a table of two columns.
func HeaderOf(head [][]string) int {
	var wide []int
	for _, rec := range head {
		if n := extent(rec); n > 0 {
			wide = append(wide, n)
		}
	}
	width := most(wide[len(wide)/2:])
	at := 0
	for at < min(len(head), maxTitles) && (extent(head[at]) < width || Filled(head[at]) < min(2, width)) {
		at++
	}
	if at == min(len(head), maxTitles) {
		return 0
	}
	for i := at + 1; i < min(len(head)-1, maxTitles); i++ {
		if extent(head[i]) == 0 && extent(head[i+1]) >= width && width == 2 && i-at < len(head)-i-1 && !hasNumber(head[i+1]) {
			return i + 1
		}
	}
	return at
}

// hasNumber reports whether a cell is a number, as none of a header is.
func hasNumber(rec []string) bool {
	return slices.ContainsFunc(rec, func(cell string) bool {
		_, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(cell), ",", ""), 64)
		return err == nil
	})
}

// extent returns the number of cells up to the last that is filled.
func extent(rec []string) int {
	n := len(rec)
	for n > 0 && strings.TrimSpace(rec[n-1]) == "" {
		n--
	}
	return n
}

// most returns the number that stands most often in a list, of equals the largest.
func most(list []int) int {
	count, best := map[int]int{}, 0
	for _, n := range list {
		count[n]++
	}
	for n, c := range count {
		if c > count[best] || c == count[best] && n > best {
			best = n
		}
	}
	return best
}

// Filled counts the cells with text.
func Filled(values []string) (n int) {
	for _, v := range values {
		if strings.TrimSpace(v) != "" {
			n++
		}
	}
	return n
}
