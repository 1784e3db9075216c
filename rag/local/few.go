package local

import (
	"math"
	"slices"
)

// reached returns a lower bound of the k-th best score: that of the areas before this one, 0 if they have fewer passages.
func (s *scorer) reached() float32 {
	if len(s.top) < s.want {
		return 0
	}
	return s.top[0].score
}

// floor returns a lower bound of the k-th best score, candidates of other areas included.
func (s *scorer) floor(area int, acc []float32) float32 {
	b := newBest(s.want)
	for _, c := range s.top {
		b.push(c.score)
	}
	hidden := s.areas[area].hidden
	for at := 0; ; at++ {
		at += nextFrom(acc[at:], b.least)
		if at == len(acc) {
			return b.kth()
		}
		if hidden == nil || !bit(hidden, int(s.chunkAt(area, at))) {
			b.push(acc[at])
		}
	}
}

// best holds the k largest of positive numbers.
type best struct {
	sorted []float32 // ascending once it is full
	k      int
	least  float32 // below it nothing changes
}

func newBest(k int) *best {
	return &best{sorted: make([]float32, 0, k), k: k, least: math.SmallestNonzeroFloat32}
}

func (b *best) push(x float32) {
	switch h := b.sorted; {
	case x < b.least:
	case len(h) < b.k:
		if b.sorted = append(h, x); len(b.sorted) == b.k {
			slices.Sort(b.sorted)
			b.least = b.sorted[0]
		}
	default:
		i := 1
		for i < len(h) && h[i] < x {
			h[i-1] = h[i]
			i++
		}
		h[i-1] = x
		b.least = h[0]
	}
}

// kth returns the k-th largest number so far, 0 if there are fewer.
func (b *best) kth() float32 {
	if len(b.sorted) < b.k {
		return 0
	}
	return b.least
}

// finishFew scores, against the remaining terms, only the passages that can still reach the top k: those whose score with the
// highest of what remains is not below the floor, which rises with their scores.
func (s *scorer) finishFew(area int, acc []float32, from int, rest []float32, floor float32) {
	few := s.few[:0]
	floor *= rounding
	for at := 0; ; at++ {
		at += nextFrom(acc[at:], floor-rest[from])
		if at == len(acc) {
			break
		}
		few = append(few, candidate{area, s.chunkAt(area, at), acc[at]})
	}
	s.few = few
	for t := from; t < len(s.terms); t++ {
		if s.terms[t].lists[area].n == 0 {
			continue
		}
		if len(few) > 4*s.want {
			floor = max(floor, rounding*s.floorOf(few))
		}
		few = s.addFew(area, &s.terms[t], few, rest[t+1], floor)
	}
	for _, c := range few {
		s.push(c)
	}
}

// rounding lowers a floor by more than sums of bounds can be rounded.
const rounding = 1 - 1e-5

// floorOf is floor for candidates of an area.
func (s *scorer) floorOf(few []candidate) float32 {
	b := newBest(s.want)
	for _, c := range s.top {
		b.push(c.score)
	}
	for _, c := range few {
		if !bit(s.areas[c.area].hidden, int(c.chunk)) {
			b.push(c.score)
		}
	}
	return b.kth()
}

// addFew adds a term's score to candidates, which are in order of chunk, and returns those that can still reach the floor with
// the rest of the terms.
func (s *scorer) addFew(area int, t *term, few []candidate, rest, floor float32) []candidate {
	norms, l := s.areas[area].v.seg.norms(), &t.lists[area]
	block, decoded, at := 0, -1, 0
	var posts []posting
	kept := few[:0]
	for _, c := range few {
		if c.score+t.bound+rest < floor {
			continue
		}
		if block < l.blocks() {
			block = l.seek(c.chunk, block)
		}
		if block < l.blocks() && (decoded == block || c.score+t.gain*t.table[l.blockBound(block)]+rest >= floor) {
			if decoded != block {
				decoded, at = block, 0
				posts = l.decode(block, &s.buf)
			}
			for at < len(posts) && posts[at].chunk < c.chunk {
				at++
			}
			if at < len(posts) && posts[at].chunk == c.chunk {
				c.score += t.gain * t.table[int(posts[at].tf)<<8|int(norms[c.chunk])]
			}
		}
		if c.score+rest >= floor {
			kept = append(kept, c)
		}
	}
	return kept
}
