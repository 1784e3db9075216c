package local

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"maru/rag"
	"maru/rag/rank"
)

// Search finds the passages nearest to the question in the query's scopes.
func (x *Index) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	q = rank.Bound(q, x.cfg.Threshold)
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	areas, passages, tokens := snap.areas(q)
	if passages <= 0 {
		return nil, nil
	}
	isKnown := known(areas)
	words := rank.Words(q, isKnown)
	if len(words) == 0 {
		return nil, nil
	}
	s := newScorer(areas, passages, tokens, rank.Terms(q, words, isKnown), max(4*q.Limit, 40))
	defer s.release()
	s.run()
	return x.answer(ctx, s, q, words)
}

// known reports whether a passage of the areas' scopes holds a term.
func known(areas []area) func(string) bool {
	named := slices.ContainsFunc(areas, func(a area) bool { return a.v.seg.hasNames() })
	return func(term string) bool {
		if !named && strings.HasPrefix(term, rag.KeyMark) {
			return false
		}
		for _, a := range areas {
			number, ok := a.v.seg.lookup(term)
			if !ok {
				continue
			}
			l := a.v.seg.postings(number)
			for _, sp := range a.scopes {
				if l.count(sp.from, sp.to) > 0 {
					return true
				}
			}
		}
		return false
	}
}

// found is a candidate that may become a hit.
type found struct {
	candidate
	confidence float64
	named      bool     // of a named article
	read       *rag.Hit // loaded lazily
}

// proximityDepth is the number of top candidates read for word proximity.
const proximityDepth = 10

// answer turns candidates into hits: confidence, fusion with vectors, threshold, deduplication.
func (x *Index) answer(ctx context.Context, s *scorer, q rag.Query, words []rag.Word) ([]rag.Hit, error) {
	slices.SortFunc(s.top, func(a, b candidate) int {
		if s.worse(b, a) {
			return -1
		}
		return 1
	})
	evidence := newEvidence(s, words)
	list := make([]found, len(s.top))
	for i, c := range s.top {
		list[i] = evidence.judge(c)
	}
	best := func(a, b found) int { return cmp.Compare(b.score, a.score) }
	slices.SortStableFunc(list, best)
	least := q.Threshold
	if x.vecs != nil { // they may raise a confidence
		least = math.Inf(-1)
	}
	if err := evidence.readClosely(list[:min(len(list), proximityDepth)], least); err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, best)
	list = x.fuse(ctx, s, evidence, q, list)
	hits := make([]rag.Hit, 0, min(q.Limit, len(list)))
	var distinct rag.Distinct
	for _, f := range list {
		if len(hits) == q.Limit {
			break
		}
		if f.confidence < q.Threshold {
			continue
		}
		h, err := f.hit(s)
		if err != nil {
			return nil, err
		}
		if q.Repeats || distinct.Add(h) {
			hits = append(hits, h)
		}
	}
	return hits, nil
}

// hit reads the passage, once.
func (f *found) hit(s *scorer) (rag.Hit, error) {
	if f.read == nil {
		seg := s.areas[f.area].v.seg
		doc, err := seg.document(seg.docOf(int(f.chunk)))
		if err != nil {
			return rag.Hit{}, err
		}
		chunk, err := seg.chunk(int(f.chunk), doc.ID)
		if err != nil {
			return rag.Hit{}, fmt.Errorf("passage of %s: %w", doc.ID, err)
		}
		f.read = &rag.Hit{Chunk: chunk, Document: doc}
	}
	h := *f.read
	h.Score, h.Rank, h.Named = f.confidence, float64(f.score), f.named
	return h, nil
}

// evidence holds the matches of a search's candidates.
type evidence struct {
	*rank.Evidence

	s *scorer
}

func newEvidence(s *scorer, words []rag.Word) evidence {
	terms := make([]rank.Term, len(s.terms))
	for i, t := range s.terms {
		terms[i] = rank.Term{Wanted: rank.Wanted{Text: t.text, Name: t.name}, N: t.n, IDF: t.idf}
	}
	return evidence{rank.NewEvidence(words, terms), s}
}

// judge scores a candidate word by word: coverage raises its rank and sets its confidence.
func (e evidence) judge(c candidate) found {
	f := found{candidate: c}
	var coverage float64
	held := func(t int) bool { return e.s.holds(&e.s.terms[t], c.area, c.chunk) }
	f.confidence, coverage = e.Judge(held)
	f.named = e.Named(held)
	f.score += float32(coverage)
	return f
}

// readClosely raises top candidates whose words are close together. Those below the least confidence stay as they are: they
// become no hits.
func (e evidence) readClosely(list []found, least float64) error {
	near := e.Near()
	if near == nil || len(list) < 2 {
		return nil
	}
	for i := range list {
		if list[i].confidence < least {
			continue
		}
		h, err := list[i].hit(e.s)
		if err != nil {
			return err
		}
		list[i].score += float32(near.Of(rank.Head(h.Document, h.Chunk), h.Chunk.Text))
	}
	return nil
}

// Documents lists the documents of scopes, newest first.
func (x *Index) Documents(ctx context.Context, scopes []string) ([]rag.Document, error) {
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	docs, err := snap.documents(slices.Compact(slices.Sorted(slices.Values(scopes))))
	slices.SortFunc(docs, func(a, b rag.Document) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.ID, b.ID))
	})
	return docs, err
}

// Scopes implements [rag.Scoper].
func (x *Index) Scopes(ctx context.Context) ([]string, error) {
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	return snap.scopes(), nil
}

// Some implements [rag.Sampler].
func (x *Index) Some(ctx context.Context, scopes []string, limit int) ([]rag.Document, int, error) {
	if err := x.usable(ctx); err != nil {
		return nil, 0, err
	}
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	return snap.some(slices.Compact(slices.Sorted(slices.Values(scopes))), limit)
}

// Document returns one document if it is in one of scopes, else [rag.ErrNotFound].
func (x *Index) Document(ctx context.Context, scopes []string, id string) (rag.Document, error) {
	if err := x.usable(ctx); err != nil {
		return rag.Document{}, err
	}
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	v, d, ok := snap.find(scopes, id)
	if !ok {
		return rag.Document{}, rag.ErrNotFound
	}
	return v.seg.document(d)
}

// Chunk returns one passage with its document if it is in one of scopes.
func (x *Index) Chunk(ctx context.Context, scopes []string, id string) (rag.Chunk, rag.Document, error) {
	if err := x.usable(ctx); err != nil {
		return rag.Chunk{}, rag.Document{}, err
	}
	i := strings.LastIndexByte(id, '#')
	if i < 0 {
		return rag.Chunk{}, rag.Document{}, rag.ErrNotFound
	}
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	v, d, ok := snap.find(scopes, id[:i])
	if !ok {
		return rag.Chunk{}, rag.Document{}, rag.ErrNotFound
	}
	for c := v.seg.chunkStart(d); c < v.seg.chunkStart(d+1); c++ {
		chunk, err := v.seg.chunk(c, id[:i])
		if err != nil {
			return rag.Chunk{}, rag.Document{}, err
		}
		if chunk.ID == id {
			doc, err := v.seg.document(d)
			return chunk, doc, err
		}
	}
	return rag.Chunk{}, rag.Document{}, rag.ErrNotFound
}

// Passages returns the passages [from, to) of a document in one of scopes.
func (x *Index) Passages(ctx context.Context, scopes []string, document string, from, to int) ([]rag.Chunk, rag.Document, error) {
	if err := x.usable(ctx); err != nil {
		return nil, rag.Document{}, err
	}
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	v, d, ok := snap.find(scopes, document)
	if !ok {
		return nil, rag.Document{}, rag.ErrNotFound
	}
	doc, err := v.seg.document(d)
	if err != nil {
		return nil, rag.Document{}, err
	}
	first, end := v.seg.chunkStart(d), v.seg.chunkStart(d+1)
	from, to = max(from, 0), min(max(to, 0), end-first)
	out := make([]rag.Chunk, 0, max(to-from, 0))
	for c := first + from; c < first+to; c++ {
		chunk, err := v.seg.chunk(c, document)
		if err != nil {
			return nil, rag.Document{}, fmt.Errorf("passage %d of %s: %w", c-first, document, err)
		}
		out = append(out, chunk)
	}
	return out, doc, nil
}
