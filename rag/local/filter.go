package local

import (
	"slices"
	"strings"
	"time"

	"maru/rag"
)

// filing holds a segment's filter columns: each document's date and tag set. It is loaded on the first filtered
// search, because most searches have no filter.
type filing struct {
	added []moment
	set   []uint32 // by document, index into sets
	sets  [][]string
}

// moment is a time in 16 bytes instead of 24.
type moment struct {
	second int64
	nano   int32
}

// filed returns the columns of the segment.
func (s *segment) filed() *filing {
	s.filing.Do(func() { s.files = readFiling(s) })
	return s.files
}

func readFiling(s *segment) *filing {
	f := &filing{added: make([]moment, s.docs), set: make([]uint32, s.docs), sets: [][]string{nil}}
	known := map[string]uint32{"": 0}
	for d := range s.docs {
		doc, err := s.document(d)
		if err != nil {
			continue // a search reports the fault; a filter excludes the document
		}
		f.added[d] = moment{doc.At.Unix(), int32(doc.At.Nanosecond())} //nolint:gosec // G115: below 1e9
		if len(doc.Tags) == 0 {
			continue
		}
		tags := rag.Tags(doc.Tags)
		key := strings.Join(tags, "\x00")
		n, ok := known[key]
		if !ok {
			n = uint32(len(f.sets)) //nolint:gosec // G115: no more sets than documents
			known[key], f.sets = n, append(f.sets, tags)
		}
		f.set[d] = n
	}
	return f
}

// passes reports whether a document matches the filter.
func (s *segment) passes(filter rag.Filter, d int) bool {
	if filter.Any() {
		return true
	}
	f := s.filed()
	return f.inTime(filter, d) && filter.Tagged(f.sets[f.set[d]])
}

func (f *filing) inTime(filter rag.Filter, d int) bool {
	if filter.Since.IsZero() && filter.Until.IsZero() {
		return true
	}
	return filter.InTime(time.Unix(f.added[d].second, int64(f.added[d].nano)))
}

// narrowRuns is the maximum number of document runs scored separately. Beyond it a bitmap hides documents: skipping
// in posting lists costs more than scoring the skipped passages.
const narrowRuns = 16

// pass adds the matching part of a scope's range to the scored spans.
func (a *area) pass(r scopeRange, filter rag.Filter) {
	if filter.Any() {
		a.scored = extend(a.scored, span{uint32(r.chunk0), uint32(r.chunk1)})
		return
	}
	runs := a.runs(r, filter)
	if len(runs) <= narrowRuns {
		a.scored = append(a.scored, runs...)
		return
	}
	hidden := make([]uint64, a.v.seg.chunks/64+1)
	copy(hidden, a.hidden)
	at := runs[0].from
	for _, run := range runs {
		for c := at; c < run.from; c++ {
			hidden[c>>6] |= 1 << (c & 63)
		}
		at = run.to
	}
	a.hidden = hidden
	a.scored = append(a.scored, span{runs[0].from, at})
}

// runs returns a scope's matching passages as maximal ranges.
func (a *area) runs(r scopeRange, filter rag.Filter) []span {
	seg := a.v.seg
	files := seg.filed()
	tagged := make([]bool, len(files.sets))
	for i, tags := range files.sets {
		tagged[i] = filter.Tagged(tags)
	}
	if !slices.Contains(tagged, true) {
		return nil
	}
	var runs []span
	for d := r.doc0; d < r.doc1; d++ {
		if !tagged[files.set[d]] || !files.inTime(filter, d) {
			continue
		}
		s := span{uint32(seg.chunkStart(d)), uint32(seg.chunkStart(d + 1))}
		runs = extend(runs, s)
	}
	return runs
}
