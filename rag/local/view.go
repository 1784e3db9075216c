package local

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"maru/rag"
)

// view is a segment in one snapshot, without the documents deleted or replaced since it was built. Views are
// immutable; kill makes a new one.
type view struct {
	seg        *segment
	deadDocs   []uint64        // bitmap, nil if all live
	deadChunks []uint64        // bitmap, nil if all live
	lost       map[string]loss // by scope: counts of the deleted
	nDead      int
	deadCount  int // chunks
}

type loss struct {
	chunks int
	tokens uint64
}

func bit(b []uint64, i int) bool { return b != nil && b[i>>6]&(1<<(i&63)) != 0 }

func (v *view) deadDoc(d int) bool { return bit(v.deadDocs, d) }

// kill returns the view without these documents.
func (v *view) kill(docs ...int) *view {
	n := &view{seg: v.seg, lost: map[string]loss{}, nDead: v.nDead, deadCount: v.deadCount}
	for k, l := range v.lost {
		n.lost[k] = l
	}
	n.deadDocs, n.deadChunks = slices.Clone(v.deadDocs), slices.Clone(v.deadChunks)
	if n.deadDocs == nil {
		n.deadDocs, n.deadChunks = make([]uint64, v.seg.docs/64+1), make([]uint64, v.seg.chunks/64+1)
	}
	for _, d := range docs {
		if bit(n.deadDocs, d) {
			continue
		}
		n.deadDocs[d>>6] |= 1 << (d & 63)
		from, to := v.seg.chunkStart(d), v.seg.chunkStart(d+1)
		for c := from; c < to; c++ {
			n.deadChunks[c>>6] |= 1 << (c & 63)
		}
		n.nDead++
		n.deadCount += to - from
		l := n.lost[v.scopeOf(d)]
		l.chunks += to - from
		l.tokens += v.seg.tokensBefore(d+1) - v.seg.tokensBefore(d)
		n.lost[v.scopeOf(d)] = l
	}
	return n
}

func (v *view) scopeOf(d int) string {
	i, _ := slices.BinarySearchFunc(v.seg.scopes, d, func(r scopeRange, d int) int {
		if r.doc1 <= d {
			return -1
		}
		return 1
	})
	return v.seg.scopes[i].name
}

// snapshot is the immutable state of the index for readers.
type snapshot struct {
	views    []*view
	sampled  samples
	revision uint64 // grows with every change
}

// find returns the place of a live document in one of scopes.
func (s *snapshot) find(scopes []string, id string) (*view, int, bool) {
	for _, v := range s.views {
		for _, name := range scopes {
			r, ok := v.seg.scope(name)
			if !ok {
				continue
			}
			if d, ok := v.seg.find(r, id); ok && !v.deadDoc(d) {
				return v, d, true
			}
		}
	}
	return nil, 0, false
}

// documents decodes the live documents of scopes.
func (s *snapshot) documents(scopes []string) ([]rag.Document, error) {
	var out []rag.Document
	for _, v := range s.views {
		for _, name := range scopes {
			r, _ := v.seg.scope(name)
			for d := r.doc0; d < r.doc1; d++ {
				if v.deadDoc(d) {
					continue
				}
				doc, err := v.seg.document(d)
				if err != nil {
					return nil, err
				}
				out = append(out, doc)
			}
		}
	}
	return out, nil
}

// scopes returns the scopes of live documents, sorted.
func (s *snapshot) scopes() []string {
	var out []string
	for _, v := range s.views {
		for _, r := range v.seg.scopes {
			for d := r.doc0; d < r.doc1; d++ {
				if !v.deadDoc(d) {
					out = append(out, r.name)
					break
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// samples caches [snapshot.some]: every message's router requests the same few documents. The next change discards it
// with the snapshot.
type samples struct {
	mu    sync.Mutex
	known map[string]sample
}

type sample struct {
	docs  []rag.Document
	total int
}

const maxSamples = 64 // cached scope sets

// some returns at most limit live documents of scopes, those of the newest segments first, and counts all.
func (s *snapshot) some(scopes []string, limit int) ([]rag.Document, int, error) {
	key := fmt.Sprint(limit, "\x00", strings.Join(scopes, "\x00"))
	s.sampled.mu.Lock()
	defer s.sampled.mu.Unlock()
	if known, ok := s.sampled.known[key]; ok {
		return slices.Clip(known.docs), known.total, nil
	}
	docs, total, err := s.decodeSome(scopes, limit)
	if err != nil {
		return nil, 0, err
	}
	if s.sampled.known == nil || len(s.sampled.known) >= maxSamples {
		s.sampled.known = map[string]sample{}
	}
	s.sampled.known[key] = sample{docs, total}
	return docs, total, nil
}

func (s *snapshot) decodeSome(scopes []string, limit int) (out []rag.Document, total int, err error) {
	for _, v := range slices.Backward(s.views) {
		for _, name := range scopes {
			r, _ := v.seg.scope(name)
			for d := r.doc0; d < r.doc1; d++ {
				if v.deadDoc(d) {
					continue
				}
				if total++; len(out) == limit {
					continue
				}
				doc, err := v.seg.document(d)
				if err != nil {
					return nil, 0, err
				}
				out = append(out, doc)
			}
		}
	}
	return out, total, nil
}

// span is a run of chunks of one view.
type span struct{ from, to uint32 }

// extend adds a span and joins neighbours, because each span costs a search of its own.
func extend(spans []span, s span) []span {
	if n := len(spans); n > 0 && spans[n-1].to == s.from {
		spans[n-1].to = s.to
		return spans
	}
	return append(spans, s)
}

// area is the readable part of one view: the scored spans, and those of its scopes, over which frequencies are
// counted.
type area struct {
	v      *view
	scored []span
	scopes []span
	hidden []uint64 // bitmap of excluded chunks: deleted or filtered; nil for none
	width  int
}

// areas returns the readable areas, with the number of passages and terms in their scopes. Nothing else is read, not
// even for document frequencies: a score reveals nothing about unreadable documents.
func (s *snapshot) areas(q rag.Query) (out []area, passages int, tokens uint64) {
	scopes := slices.Compact(slices.Sorted(slices.Values(q.Scopes)))
	filter := q.Filter()
	for _, v := range s.views {
		a := area{v: v, hidden: v.deadChunks}
		for _, name := range scopes {
			r, ok := v.seg.scope(name)
			if !ok || r.chunk0 == r.chunk1 {
				continue
			}
			lost := v.lost[name]
			passages += r.chunk1 - r.chunk0 - lost.chunks
			tokens += r.tokens1 - r.tokens0 - lost.tokens
			a.scopes = extend(a.scopes, span{uint32(r.chunk0), uint32(r.chunk1)})
			if len(q.Documents) == 0 {
				a.pass(r, filter)
				continue
			}
			for _, id := range slices.Compact(slices.Sorted(slices.Values(q.Documents))) {
				if d, ok := v.seg.find(r, id); ok && !v.deadDoc(d) && v.seg.passes(filter, d) {
					a.scored = extend(a.scored, span{uint32(v.seg.chunkStart(d)), uint32(v.seg.chunkStart(d + 1))})
				}
			}
		}
		for _, sp := range a.scored {
			a.width += int(sp.to - sp.from)
		}
		if len(a.scopes) > 0 {
			out = append(out, a)
		}
	}
	return out, passages, tokens
}
