package rag

import "slices"

// Distinct drops near-duplicate passages. Give it hits best first.
type Distinct struct {
	kept   []Hit
	prints [][]uint64 // of kept hits, computed when first compared
}

// Add keeps a hit and reports true, unless it repeats an earlier one: nearly the same words, or a passage of the same
// document that overlaps it by more than half.
func (d *Distinct) Add(h Hit) bool {
	var own []uint64
	for i, k := range d.kept {
		if overlap(k.Chunk, h.Chunk) {
			return false
		}
		if !alike(k, h) {
			continue
		}
		if own == nil {
			own = fingerprint(h.Chunk.Text)
		}
		if d.prints[i] == nil {
			d.prints[i] = fingerprint(k.Chunk.Text)
		}
		if near(own, d.prints[i]) {
			return false
		}
	}
	if d.kept == nil {
		d.kept = make([]Hit, 0, 8) // hits are large, and most answers have a few
	}
	d.kept, d.prints = append(d.kept, h), append(d.prints, own)
	return true
}

// alike rejects most pairs cheaply: duplicates have similar lengths and ranks.
func alike(x, y Hit) bool {
	a, b := len(x.Chunk.Text), len(y.Chunk.Text)
	if 5*a > 6*b || 5*b > 6*a {
		return false
	}
	return 5*x.Rank <= 6*y.Rank && 5*y.Rank <= 6*x.Rank
}

// shingle is the number of words in a run.
const shingle = 4

// fingerprint is the sorted set of a text's word runs.
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

func overlap(a, b Chunk) bool {
	if a.Document != b.Document || a.End <= a.Start || b.End <= b.Start {
		return false
	}
	shared := min(a.End, b.End) - max(a.Start, b.Start)
	return 2*shared > min(a.End-a.Start, b.End-b.Start)
}
