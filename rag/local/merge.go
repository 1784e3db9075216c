package local

import (
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
	head := make([]string, len(views))
	load := func(i int) {
		if at[i] < views[i].seg.terms {
			head[i] = views[i].seg.term(at[i])
		}
	}
	for i := range views {
		load(i)
	}
	var posts []posting
	var buf [blockLen]posting
	for {
		least, more := "", false
		for i, v := range views {
			if at[i] < v.seg.terms && (!more || head[i] < least) {
				least, more = head[i], true
			}
		}
		if !more {
			return
		}
		posts = posts[:0]
		sources := 0
		for i, v := range views {
			if at[i] >= v.seg.terms || head[i] != least {
				continue
			}
			l := v.seg.postings(at[i])
			for b := range l.blocks() {
				for _, p := range l.decode(b, &buf) {
					if n := renumber[i][p.chunk]; n >= 0 {
						posts = append(posts, posting{uint32(n), p.tf})
					}
				}
			}
			sources++
			at[i]++
			load(i)
		}
		if len(posts) == 0 {
			continue
		}
		if sources > 1 {
			slices.SortFunc(posts, func(x, y posting) int { return cmp.Compare(x.chunk, y.chunk) })
		}
		a.addTerm(least, posts)
	}
}
