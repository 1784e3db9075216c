package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// printed removes invisible and meaningless characters.
func printed(s string) string { return strings.Map(printable, s) }

func printable(r rune) rune {
	if r == utf8.RuneError || (unicode.IsControl(r) && !unicode.IsSpace(r)) || unicode.Is(unicode.Co, r) {
		return -1
	}
	if unicode.IsSpace(r) {
		return ' '
	}
	return r
}

// inOrder restores the reading order of rotated text: in text that runs down the page PDFium puts the last line
// first.
func inOrder(runs []run) []run {
	out := make([]run, 0, len(runs))
	for len(runs) > 0 {
		n := 1
		for n < len(runs) && runs[n].angle == runs[0].angle {
			n++
		}
		if block := runs[:n]; block[0].angle == 0 || climbs(block) <= 0 {
			out = append(out, block...)
		} else {
			lines := lines(block)
			slices.Reverse(lines)
			out = append(out, slices.Concat(lines...)...)
		}
		runs = runs[n:]
	}
	return out
}

// climbs returns how many more lines of a text go up than down.
func climbs(runs []run) int {
	n := 0
	for i := 1; i < len(runs); i++ {
		switch up := runs[i].y - runs[i-1].y; {
		case up > sameLine*runs[i].size:
			n++
		case up < -sameLine*runs[i].size:
			n--
		}
	}
	return n
}

// lines splits runs at changes of height.
func lines(runs []run) [][]run {
	var out [][]run
	begin := 0
	for i := 1; i <= len(runs); i++ {
		if i == len(runs) || math.Abs(runs[i].y-runs[i-1].y) > sameLine*runs[i].size {
			out = append(out, runs[begin:i])
			begin = i
		}
	}
	return out
}

// sameLine is the tolerance of base lines within a line, in font sizes.
const sameLine = 0.45

// layout joins runs to lines. Runs keep content stream order, which is the reading order of nearly all producers
// (columns too); a new line starts where the height changes.
func layout(runs []run) string {
	var b strings.Builder
	var last run
	for i, r := range runs {
		if i > 0 {
			size := max(last.size, r.size, 1)
			down, gap := last.y-r.y, r.x-last.end
			switch {
			case r.angle != last.angle:
				b.WriteString("\n\n")
			case math.Abs(down) > 1.9*size || (down < -0.6*size):
				b.WriteString("\n\n")
			case math.Abs(down) > sameLine*size:
				b.WriteByte('\n')
			case gap > 3*size:
				b.WriteByte('\t')
			case gap > 0.15*size || gap < -2*size:
				if !strings.HasSuffix(last.text, " ") && !strings.HasPrefix(r.text, " ") {
					b.WriteByte(' ')
				}
			}
		}
		b.WriteString(r.text)
		last = r
	}
	return b.String()
}
