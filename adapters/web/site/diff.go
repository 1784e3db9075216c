package site

import "strings"

// DiffLine is a line of a comparison: Sign is "+", "-", or "" for a common line.
type DiffLine struct {
	Sign, Text string
	Gap        bool // common lines omitted here
}

// Limits of a comparison.
const (
	maxCompared = 2_000_000 // pairs of lines that are compared; more are shown as replaced
	around      = 3         // common lines shown around a change
)

// diff compares two texts by their lines: the longest common subsequence stays.
func diff(a, b string) []DiffLine {
	a, b = strings.TrimSuffix(a, "\n"), strings.TrimSuffix(b, "\n")
	if a == b {
		return nil
	}
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	head := 0
	for head < len(x) && head < len(y) && x[head] == y[head] {
		head++
	}
	tail := 0
	for tail < len(x)-head && tail < len(y)-head && x[len(x)-1-tail] == y[len(y)-1-tail] {
		tail++
	}
	var out []DiffLine
	for _, line := range x[:head] {
		out = append(out, DiffLine{Text: line})
	}
	out = append(out, between(x[head:len(x)-tail], y[head:len(y)-tail])...)
	for _, line := range x[len(x)-tail:] {
		out = append(out, DiffLine{Text: line})
	}
	return shortened(out)
}

// between compares lines that begin and end differently.
func between(x, y []string) []DiffLine {
	var out []DiffLine
	i, j := 0, 0
	if len(x)*len(y) <= maxCompared {
		common := subsequences(x, y)
		for i < len(x) && j < len(y) {
			switch {
			case x[i] == y[j]:
				out = append(out, DiffLine{Text: x[i]})
				i, j = i+1, j+1
			case common[i+1][j] >= common[i][j+1]:
				out = append(out, DiffLine{Sign: "-", Text: x[i]})
				i++
			default:
				out = append(out, DiffLine{Sign: "+", Text: y[j]})
				j++
			}
		}
	}
	for _, line := range x[i:] {
		out = append(out, DiffLine{Sign: "-", Text: line})
	}
	for _, line := range y[j:] {
		out = append(out, DiffLine{Sign: "+", Text: line})
	}
	return out
}

// subsequences returns the length of the longest common subsequence of x from i and y from j on, by i and j.
func subsequences(x, y []string) [][]int32 {
	t := make([][]int32, len(x)+1)
	for i := range t {
		t[i] = make([]int32, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				t[i][j] = t[i+1][j+1] + 1
			} else {
				t[i][j] = max(t[i+1][j], t[i][j+1])
			}
		}
	}
	return t
}

// shortened omits lines that are far from any change.
func shortened(lines []DiffLine) []DiffLine {
	near := make([]bool, len(lines))
	for i, l := range lines {
		if l.Sign == "" {
			continue
		}
		for j := max(0, i-around); j <= min(len(lines)-1, i+around); j++ {
			near[j] = true
		}
	}
	var out []DiffLine
	for i, l := range lines {
		switch {
		case near[i]:
			out = append(out, l)
		case i == 0 || near[i-1]:
			out = append(out, DiffLine{Gap: true})
		}
	}
	return out
}
