package local

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// mergeSegments writes the live documents of several views into one segment without analysing them again.
func mergeSegments(views []*view) []byte {
	var a assembler
	type source struct {
		v, doc    int
		scope, id string
	}
	var docs []source
	for vi, v := range views {
		for _, r := range v.seg.scopes {
			for d := r.doc0; d < r.doc1; d++ {
				if !v.deadDoc(d) {
					docs = append(docs, source{vi, d, r.name, v.seg.docID(d)})
				}
			}
		}
	}
	slices.SortFunc(docs, func(x, y source) int {
		return cmp.Or(strings.Compare(x.scope, y.scope), strings.Compare(x.id, y.id))
	})
	renumber := make([][]int32, len(views))
	size, passages := 0, 0
	for _, v := range views {
		size, passages = size+v.seg.sec[secEnd]-v.seg.sec[secRecords], passages+v.seg.chunks
	}
	a.records, a.norms, a.chunks = make([]byte, 0, size), make([]byte, 0, passages), make([]byte, 0, 8*passages)
	for i, v := range views {
		renumber[i] = make([]int32, v.seg.chunks)
		for c := range renumber[i] {
			renumber[i][c] = -1
		}
	}
	for _, d := range docs {
		s := views[d.v].seg
		a.addDocument(d.scope, d.id, s.docRecord(d.doc))
		for c := s.chunkStart(d.doc); c < s.chunkStart(d.doc+1); c++ {
			renumber[d.v][c] = int32(len(a.norms))
			a.addChunk(s.chunkRecord(c), s.norms()[c])
		}
		a.tokens += s.tokensBefore(d.doc+1) - s.tokensBefore(d.doc)
	}
	mergeTerms(&a, views, renumber)
	return a.finish()
}

// mergeTerms walks the sorted terms of all views together.
func mergeTerms(a *assembler, views []*view, renumber [][]int32) {
	at := make([]int, len(views))
	head := make([][]byte, len(views)) // nil behind the last term
	load := func(i int) {
		head[i] = nil
		if at[i] < views[i].seg.terms {
			head[i] = views[i].seg.termBytes(at[i])
		}
	}
	for i := range views {
		load(i)
	}
	var m runs
	var buf [blockLen]posting
	for {
		var least []byte
		for _, h := range head {
			if h != nil && (least == nil || bytes.Compare(h, least) < 0) {
				least = h
			}
		}
		if least == nil {
			return
		}
		m.reset()
		for i, v := range views {
			if head[i] == nil || !bytes.Equal(head[i], least) {
				continue
			}
			l := v.seg.postings(at[i])
			for b := range l.blocks() {
				for _, p := range l.decode(b, &buf) {
					if n := renumber[i][p.chunk]; n >= 0 {
						m.posts = append(m.posts, posting{uint32(n), p.tf})
					}
				}
			}
			m.end()
			at[i]++
			load(i)
		}
		if len(m.posts) > 0 {
			a.addTerm(least, m.merged())
		}
	}
}

// runs are postings in runs that are in order, one of each segment: documents keep their order when segments are merged.
type runs struct {
	posts, other []posting
	ends         []int // of the runs in posts
}

func (r *runs) reset() { r.posts, r.ends = r.posts[:0], r.ends[:0] }

// end ends the last run.
func (r *runs) end() {
	if last := len(r.posts); len(r.ends) == 0 && last > 0 || len(r.ends) > 0 && last > r.ends[len(r.ends)-1] {
		r.ends = append(r.ends, last)
	}
}

// merged merges neighbouring runs until one is left, and returns it.
func (r *runs) merged() []posting {
	for len(r.ends) > 1 {
		r.other = slices.Grow(r.other[:0], len(r.posts))
		ends := r.ends[:0]
		for i, from := 0, 0; i < len(r.ends); i += 2 {
			middle, to := r.ends[i], r.ends[min(i+1, len(r.ends)-1)]
			r.other = appendMerged(r.other, r.posts[from:middle], r.posts[middle:to])
			ends, from = append(ends, to), to
		}
		r.posts, r.other, r.ends = r.other, r.posts, ends
	}
	return r.posts
}

// appendMerged appends the postings of two runs in order.
func appendMerged(out, a, b []posting) []posting {
	for len(a) > 0 && len(b) > 0 {
		if a[0].chunk < b[0].chunk {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}
