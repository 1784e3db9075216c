package rag

// Fingerprint is the set of a text's word runs, for telling near duplicates.
type Fingerprint map[uint64]struct{}

// shingle is how many words make a run.
const shingle = 4

// NewFingerprint reads the text's words, whatever their case and spacing.
func NewFingerprint(text string) Fingerprint {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	var words []uint64
	for _, t := range appendTokens(nil, fold(text, false)) {
		h := uint64(offset)
		for i := range len(t.text) {
			h = (h ^ uint64(t.text[i])) * prime
		}
		words = append(words, h)
	}
	f := make(Fingerprint, len(words))
	for i := range words {
		h := uint64(offset)
		for _, w := range words[i:min(i+shingle, len(words))] {
			h = (h ^ w) * prime
		}
		f[h] = struct{}{}
	}
	return f
}

// Near reports that two texts say the same: they share nine tenths of the word
// runs of both together. A passage that quotes another is not its duplicate.
func (f Fingerprint) Near(g Fingerprint) bool {
	if len(f) == 0 || len(g) == 0 {
		return len(f) == len(g)
	}
	same := 0
	for h := range f {
		if _, ok := g[h]; ok {
			same++
		}
	}
	return 10*same >= 9*(len(f)+len(g)-same)
}

// Suppress drops hits that repeat a better one: the same words again, or a
// passage of the same document that overlaps it by more than half. It keeps
// the order and at most limit hits.
func Suppress(hits []Hit, limit int) []Hit {
	var out []Hit
	prints := map[int]Fingerprint{} // by position in out, made when first compared
next:
	for _, h := range hits {
		if len(out) == limit {
			break
		}
		var own Fingerprint
		for i, o := range out {
			if overlap(o.Chunk, h.Chunk) {
				continue next
			}
			// Texts that say the same are about as long: most pairs are told apart by that.
			if a, b := len(o.Chunk.Text), len(h.Chunk.Text); 5*a > 6*b || 5*b > 6*a {
				continue
			}
			if own == nil {
				own = NewFingerprint(h.Chunk.Text)
			}
			if prints[i] == nil {
				prints[i] = NewFingerprint(o.Chunk.Text)
			}
			if own.Near(prints[i]) {
				continue next
			}
		}
		if own != nil {
			prints[len(out)] = own
		}
		out = append(out, h)
	}
	return out
}

func overlap(a, b Chunk) bool {
	if a.Document != b.Document || a.End <= a.Start || b.End <= b.Start {
		return false
	}
	shared := min(a.End, b.End) - max(a.Start, b.Start)
	return 2*shared > min(a.End-a.Start, b.End-b.Start)
}
