package local

import (
	"fmt"
	"slices"

	"maru/rag"
	"maru/rag/rank"
)

// IndexBytes returns the size of the index without the texts and documents that it
// keeps: postings, terms, lengths and tables.
func (x *Index) IndexBytes() (bytes int64) {
	for _, v := range x.snap.Load().views {
		bytes += int64(v.seg.sec[secRecords])
	}
	return bytes
}

// Best returns the places and scores of the want best passages by words alone, the best first.
func (x *Index) Best(q rag.Query, want int) (out []string) {
	areas, passages, tokens := x.snap.Load().areas(q)
	isKnown := known(areas)
	s := newScorer(areas, passages, tokens, rank.Terms(q, rank.Words(q, isKnown), isKnown), want)
	defer s.release()
	s.run()
	slices.SortFunc(s.top, func(a, b candidate) int {
		if s.worse(b, a) {
			return -1
		}
		return 1
	})
	for _, c := range s.top {
		out = append(out, fmt.Sprint(c.area, " ", c.chunk, " ", c.score))
	}
	return out
}

// Segments returns the number of segments.
func (x *Index) Segments() int { return len(x.snap.Load().views) }
