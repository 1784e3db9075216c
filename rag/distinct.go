package rag

import "slices"

// Distinct drops near-duplicate passages. Give it hits best first.
type Distinct struct{ kept []passage }

// passage is what is compared of a hit, which is ten times as large.
type passage struct {
	document   string
	start, end int
	text       string
	rank       float64
	print      []uint64 // computed when first compared
}

// Add keeps a hit and reports true, unless it repeats an earlier one: nearly the same words, or a passage of the same
// document that overlaps it by more than half.
func (d *Distinct) Add(h Hit) bool {
	own := passage{document: h.Chunk.Document, start: h.Chunk.Start, end: h.Chunk.End, text: h.Chunk.Text, rank: h.Rank}
	for i := range d.kept {
		k := &d.kept[i]
		if overlap(k, &own) || alike(k, &own) && near(own.fingerprint(), k.fingerprint()) {
			return false
		}
	}
	d.kept = append(d.kept, own)
	return true
}

// alike rejects most pairs cheaply: duplicates have similar lengths and ranks.
func alike(x, y *passage) bool {
	a, b := len(x.text), len(y.text)
	if 5*a > 6*b || 5*b > 6*a {
		return false
	}
	return 5*x.rank <= 6*y.rank && 5*y.rank <= 6*x.rank
}

func (p *passage) fingerprint() []uint64 {
	if p.print == nil {
		p.print = fingerprint(p.text)
	}
	return p.print
}

// shingle is the number of words in a run.
const shingle = 4

// fingerprint returns the sorted set of a text's word runs.
func fingerprint(text string) []uint64 {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	words := make([]uint64, 0, len(text)/4)
	h := uint64(offset)
	for i := range len(text) {
		switch c := lowerByte(text[i]); {
		case c >= 0x80 || isAlnum(c):
			h = (h ^ uint64(c)) * prime
		case h != offset && (c == ' ' || c >= '\t' && c <= '\r'): // other marks do not separate words
			words, h = append(words, h), offset
		}
	}
	if h != offset {
		words = append(words, h)
	}
	out := words[:0]
	for i := range words {
		h := uint64(offset)
		for _, w := range words[i:min(i+shingle, len(words))] {
			h = (h ^ w) * prime
		}
		out = append(out, h) // bounded by the word at which no further run starts
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// near reports whether two texts share nine tenths of their joint word runs. A passage that quotes another is not its
// duplicate.
func near(f, g []uint64) bool {
	if len(f) == 0 || len(g) == 0 {
		return len(f) == len(g)
	}
	same, i, j := 0, 0, 0
	for i < len(f) && j < len(g) {
		switch {
		case f[i] == g[j]:
			same, i, j = same+1, i+1, j+1
			continue
		case f[i] < g[j]:
			i++
		default:
			j++
		}
		// The first few runs suffice to reject texts that differ.
		if most := same + min(len(f)-i, len(g)-j); 10*most < 9*(len(f)+len(g)-most) {
			return false
		}
	}
	return 10*same >= 9*(len(f)+len(g)-same)
}

func overlap(a, b *passage) bool {
	if a.document != b.document || a.end <= a.start || b.end <= b.start {
		return false
	}
	shared := min(a.end, b.end) - max(a.start, b.start)
	return 2*shared > min(a.end-a.start, b.end-b.start)
}
