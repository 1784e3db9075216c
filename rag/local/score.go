package local

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"maru/rag"
	"maru/rag/rank"
)

// term is a query term over all areas of a query.
type term struct {
	text  string
	n     int // document frequency: passages in scope with the term
	idf   float64
	gain  float32 // idf, less for a part of a word
	bound float32 // upper bound of its score in a passage
	name  bool    // of an article asked for
	table *[(maxTF + 1) * 256]float32
	lists []list // by area; n is 0 if the segment lacks it
}

// candidate is a passage with its lexical score.
type candidate struct {
	area  int
	chunk uint32
	score float32
}

// scorer holds the buffers of one search.
type scorer struct {
	areas   []area
	terms   []term
	lists   []list                        // of all terms
	tables  [2][(maxTF + 1) * 256]float32 // BM25 weight by occurrences and norm, for average: Korean, English
	average float64
	want    int
	top     []candidate // min-heap by score
	buf     [blockLen]posting
	acc     []float32
	few     []candidate
}

var scorers = sync.Pool{New: func() any { return new(scorer) }}

// newScorer looks up and weighs the terms; the caller returns it to the pool.
func newScorer(areas []area, passages int, tokens uint64, terms []rank.Wanted, want int) *scorer {
	s := scorers.Get().(*scorer)
	s.areas, s.want, s.top, s.terms = areas, want, s.top[:0], s.terms[:0]
	average := float64(tokens) / float64(max(passages, 1))
	s.weigh(average)
	words := float32(0)
	s.lists = slices.Grow(s.lists[:0], len(terms)*len(areas))[:len(terms)*len(areas)]
	clear(s.lists)
	for k, w := range terms {
		t := term{text: w.Text, name: w.Name, table: &s.tables[0], lists: s.lists[k*len(areas) : (k+1)*len(areas)]}
		if rag.English(w.Text) {
			t.table = &s.tables[1]
		}
		best := float32(0)
		for i, a := range areas {
			number, ok := a.v.seg.lookup(w.Text)
			if !ok {
				continue
			}
			l := a.v.seg.postings(number)
			for _, sp := range a.scopes {
				t.n += l.count(sp.from, sp.to)
			}
			best = max(best, t.table[int(l.maxTF)<<8|int(l.minLen)])
			t.lists[i] = l
		}
		// Deleted passages still count until their segment is merged, so n may exceed the live ones.
		t.idf = rag.IDF(max(passages, t.n), t.n)
		t.gain = float32(w.Weight * t.idf)
		if w.Of != "" { // which comes before
			if at := slices.IndexFunc(s.terms, func(o term) bool { return o.text == w.Of }); at >= 0 {
				t.gain = float32(w.Weight * min(t.idf, s.terms[at].idf))
			}
		}
		t.bound = best * t.gain
		words += t.bound
		s.terms = append(s.terms, t)
	}
	for i := range s.terms {
		if t := &s.terms[i]; t.name {
			// In the longest passage a name must still outweigh all words together.
			t.gain = words / t.table[1<<8|math.MaxUint8]
			t.bound = t.gain
		}
	}
	slices.SortStableFunc(s.terms, func(x, y term) int { return cmp.Compare(y.bound, x.bound) })
	return s
}

// weigh fills the table, unless the last search used the same average.
func (s *scorer) weigh(average float64) {
	if s.average == average && average > 0 {
		return
	}
	s.average = average
	for norm := range 256 {
		length := lengthOf(uint8(norm))
		for tf := range maxTF + 1 {
			s.tables[0][tf<<8|norm] = float32(rag.TF(float64(tf), length, average, false))
			s.tables[1][tf<<8|norm] = float32(rag.TF(float64(tf), length, average, true))
		}
	}
}

func (s *scorer) release() {
	s.areas = nil
	clear(s.terms)
	clear(s.lists) // references into the segments' bytes
	scorers.Put(s)
}

// run scores every area and leaves the best candidates in top. Small areas come first: they show at little cost which score the
// passages of the large ones must reach.
func (s *scorer) run() {
	order := make([]int, len(s.areas))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(s.areas[x].width, s.areas[y].width) })
	for _, i := range order {
		if s.areas[i].width > 0 {
			s.runArea(i)
		}
	}
}

// runArea accumulates term scores, the highest bound first. Once the remaining terms together cannot lift a new
// passage into the top k, they are looked up only for passages already accumulated (as in MaxScore).
func (s *scorer) runArea(area int) {
	a := s.areas[area]
	if cap(s.acc) < a.width {
		s.acc = make([]float32, a.width)
	}
	acc := s.acc[:a.width]
	clear(acc)
	rest := make([]float32, len(s.terms)+1)
	work := make([]int, len(s.terms)+1)
	for i := len(s.terms) - 1; i >= 0; i-- {
		rest[i] = rest[i+1]
		work[i] = work[i+1]
		if n := s.terms[i].lists[area].n; n > 0 {
			rest[i] += s.terms[i].bound
			work[i] += n
		}
	}
	checked := 0
	for i := range s.terms {
		l := &s.terms[i].lists[area]
		if l.n == 0 {
			continue
		}
		// Before short lists it is not worth a pass over the passages.
		if done := work[0] - work[i]; work[i] > a.width/4 && done > checked && (l.n > a.width/16 || work[i] > 2*a.width) {
			floor := s.reached()
			if floor <= rest[i] && rest[i] < rest[0]-rest[i] {
				checked = done + a.width/2
				floor = s.floor(area, acc)
			}
			if floor > rest[i] {
				s.finishFew(area, acc, i, rest, floor)
				return
			}
		}
		s.addAll(a, &s.terms[i], area, acc)
	}
	s.collect(area, acc)
}

// addAll adds a term's score to every passage of the area that holds it.
func (s *scorer) addAll(a area, t *term, number int, acc []float32) {
	norms, l, gain, table := a.v.seg.norms(), &t.lists[number], t.gain, t.table
	base := uint32(0)
	for _, sp := range a.scored {
		for b := l.seek(sp.from, 0); b < l.blocks(); b++ {
			posts := l.decode(b, &s.buf)
			if posts[0].chunk >= sp.to {
				break
			}
			if posts[0].chunk < sp.from || posts[len(posts)-1].chunk >= sp.to {
				for _, p := range posts {
					if p.chunk >= sp.from && p.chunk < sp.to {
						acc[p.chunk-sp.from+base] += gain * table[int(p.tf)<<8|int(norms[p.chunk])]
					}
				}
				continue
			}
			shift := base - sp.from
			for _, p := range posts {
				acc[p.chunk+shift] += gain * table[int(p.tf&maxTF)<<8|int(norms[p.chunk])]
			}
		}
		base += sp.to - sp.from
	}
}

// chunkAt maps an accumulator index to a chunk.
func (s *scorer) chunkAt(area, i int) uint32 {
	for _, sp := range s.areas[area].scored {
		if w := int(sp.to - sp.from); i >= w {
			i -= w
			continue
		}
		return sp.from + uint32(i)
	}
	return 0
}

// collect pushes every accumulated passage to the top k.
func (s *scorer) collect(area int, acc []float32) {
	least := float32(math.SmallestNonzeroFloat32)
	if len(s.top) == s.want {
		least = s.top[0].score
	}
	for _, sp := range s.areas[area].scored {
		var part []float32
		part, acc = acc[:sp.to-sp.from], acc[sp.to-sp.from:]
		for len(part) > 0 {
			n := nextFrom(part, least)
			if n == len(part) {
				break
			}
			s.push(candidate{area, sp.to - uint32(len(part)-n), part[n]})
			if len(s.top) == s.want {
				least = s.top[0].score
			}
			part = part[n+1:]
		}
	}
}

// nextFrom returns the index of the first score not below least, or len(scores). Nearly all are below: it compares
// four at a time.
func nextFrom(scores []float32, least float32) int {
	i := 0
	for ; i+4 <= len(scores); i += 4 {
		q := scores[i : i+4 : i+4]
		if q[0] >= least || q[1] >= least || q[2] >= least || q[3] >= least {
			break
		}
	}
	for i < len(scores) && scores[i] < least {
		i++
	}
	return i
}

// push keeps c if it may be an answer and is in the top k.
func (s *scorer) push(c candidate) {
	if bit(s.areas[c.area].hidden, int(c.chunk)) {
		return
	}
	if len(s.top) < s.want {
		s.top = append(s.top, c)
		for i := len(s.top) - 1; i > 0; {
			p := (i - 1) / 2
			if !s.worse(s.top[i], s.top[p]) {
				break
			}
			s.top[i], s.top[p] = s.top[p], s.top[i]
			i = p
		}
		return
	}
	if !s.worse(s.top[0], c) {
		return
	}
	s.top[0] = c
	for i := 0; ; {
		l := 2*i + 1
		if l >= len(s.top) {
			return
		}
		if l+1 < len(s.top) && s.worse(s.top[l+1], s.top[l]) {
			l++
		}
		if !s.worse(s.top[l], s.top[i]) {
			return
		}
		s.top[i], s.top[l] = s.top[l], s.top[i]
		i = l
	}
}

// worse orders by score; ties go to the earlier place, so that results are deterministic.
func (s *scorer) worse(x, y candidate) bool {
	if x.score != y.score {
		return x.score < y.score
	}
	if x.area != y.area {
		return x.area > y.area
	}
	return x.chunk > y.chunk
}

// holds reports whether a passage holds a term.
func (s *scorer) holds(t *term, area int, chunk uint32) bool {
	return t.lists[area].holds(chunk)
}
