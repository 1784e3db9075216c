package edition

import (
	"slices"
	"unicode"

	"maru/rag"
)

// Words is the set of words of a passage, without numbers.
type Words map[string]bool

// WordsOf analyses a text as an index does.
func WordsOf(text string) Words {
	var a rag.Analyzer
	terms := a.Terms(text)
	out := make(Words, len(terms))
	for _, term := range terms {
		if len(term) > 0 && term[0] > ' ' && !(term[0] >= '0' && term[0] <= '9') {
			out[term] = true
		}
	}
	return out
}

// Like returns the share of words that two passages have in common, from 0 to 1 (Dice's coefficient).
func (w Words) Like(o Words) float64 {
	if len(w)+len(o) == 0 {
		return 0
	}
	same := 0
	for t := range w {
		if o[t] {
			same++
		}
	}
	return 2 * float64(same) / float64(len(w)+len(o))
}

// Print is what is compared of a whole text: runs of letters whatever spaces, lines and page numbers are between them,
// which a PDF has where the document that it was made of has others, and its numbers.
type Print struct {
	runs    []uint64 // sorted, one of four
	numbers []string // sorted
}

const (
	run    = 8  // letters of a run
	sample = 4  // one run of so many is kept
	fewest = 12 // runs kept of a text that can be compared
)

// Within returns the share of words of the passage with fewer of them that the other has, from 0 to 1.
func (w Words) Within(o Words) float64 {
	return w.Like(o) * float64(len(w)+len(o)) / 2 / float64(max(1, min(len(w), len(o))))
}

// PrintOf prints the headings and texts of a document's passages.
func PrintOf(texts []string) Print {
	var p Print
	var window []rune
	var digits []rune
	end := func() {
		if len(digits) > 0 {
			p.numbers, digits = append(p.numbers, string(digits)), digits[:0]
		}
	}
	for _, t := range texts {
		for _, r := range fold(t) {
			if !inName(r) {
				end()
				continue
			}
			if unicode.IsDigit(r) {
				digits = append(digits, r)
				continue
			}
			end()
			if window = append(window, r); len(window) > run {
				window = window[1:]
			}
			if len(window) == run {
				h := uint64(14695981039346656037) // FNV-1a
				for _, r := range window {
					h = (h ^ uint64(r)) * 1099511628211
				}
				if (h^h>>32)%sample == 0 {
					p.runs = append(p.runs, h)
				}
			}
		}
		end()
		window = window[:0] // headings are elsewhere in another format
	}
	slices.Sort(p.runs)
	p.runs = slices.Compact(p.runs)
	slices.Sort(p.numbers)
	p.numbers = slices.Compact(p.numbers)
	return p
}

// Same reports whether two texts are one document in two formats: they are of about the same length, one has nine tenths of
// the other's runs, and not each has a number that the other lacks. Page numbers are in one of them; a changed number
// makes another edition.
func (p Print) Same(o Print) bool {
	if min(len(p.runs), len(o.runs)) < fewest {
		return slices.Equal(p.runs, o.runs) && len(p.runs) > 0 && slices.Equal(p.numbers, o.numbers)
	}
	few, many := min(len(p.runs), len(o.runs)), max(len(p.runs), len(o.runs))
	if 5*few < 4*many || 10*shared(p.runs, o.runs) < 9*few {
		return false
	}
	n := shared(p.numbers, o.numbers)
	return n == len(p.numbers) || n == len(o.numbers)
}

// shared counts what two sorted sets have in common.
func shared[T string | uint64](a, b []T) (n int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			n, i, j = n+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return n
}

// Like returns the share of its runs that the text with fewer of them has in common with the other, from 0 to 1.
func (p Print) Like(o Print) float64 {
	return float64(shared(p.runs, o.runs)) / float64(max(1, min(len(p.runs), len(o.runs))))
}
