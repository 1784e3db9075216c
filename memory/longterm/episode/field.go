package episode

import "maru/rag"

// field scores units of text (turns, sessions) by the words they hold, with the
// arithmetic of rag.
type field struct {
	postings map[string][]posting
	length   []float64 // of each unit, in terms
	mean     float64
}

// posting is a term's frequency in a unit.
type posting struct {
	unit int
	n    float64
}

func newField() field { return field{postings: map[string][]posting{}} }

// add notes one occurrence of a term in a unit, which must not be below that of
// the last call.
func (f *field) add(term string, unit int) {
	f.grow(unit + 1)
	f.length[unit]++
	in := f.postings[term]
	if last := len(in) - 1; last >= 0 && in[last].unit == unit {
		in[last].n++
		return
	}
	f.postings[term] = append(in, posting{unit, 1})
}

// grow allocates n units.
func (f *field) grow(units int) {
	for len(f.length) < units {
		f.length = append(f.length, 0)
	}
}

// close ends the adding; units is how many there are, with those that are empty.
func (f *field) close(units int) {
	f.grow(units)
	total := 0.0
	for _, n := range f.length {
		total += n
	}
	if units > 0 {
		f.mean = total / float64(units)
	}
}

// score returns each unit's BM25 for weighed words.
func (f *field) score(words map[string]float64) []float64 {
	out := make([]float64, len(f.length))
	const inEnglish = false // turns are short: the milder constants fit talk in any language
	for term, weight := range words {
		in := f.postings[term]
		idf := rag.IDF(len(f.length), len(in))
		for _, p := range in {
			out[p.unit] += weight * idf * rag.TF(p.n, f.length[p.unit], f.mean, inEnglish)
		}
	}
	return out
}
