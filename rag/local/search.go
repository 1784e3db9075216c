package local

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"maru/rag"
)

const (
	defaultLimit = 5
	maxLimit     = 1000
	maxTerms     = 400 // of a question; beyond it is a pasted document
)

// Search finds the passages nearest to the question among those it may read.
func (x *Index) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	q.Limit = min(cmp.Or(max(q.Limit, 0), defaultLimit), maxLimit)
	if q.Threshold == 0 {
		q.Threshold = x.cfg.Threshold
	}
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	areas, passages, tokens := snap.areas(q)
	if passages <= 0 {
		return nil, nil
	}
	isKnown := known(areas)
	words := content(q, isKnown)
	if len(words) == 0 {
		return nil, nil
	}
	terms := append(termsOf(words), named(q, isKnown)...)
	s := newScorer(areas, passages, tokens, terms, max(4*q.Limit, 40))
	defer s.release()
	s.run()
	return x.answer(ctx, s, q, words)
}

// content returns the words that say what is asked. A question of stop words
// alone asks for nothing, unless the caller wants whatever is nearest.
func content(q rag.Query, known func(string) bool) []rag.Word {
	var a rag.Analyzer
	words := a.Query(q.Text)
	rag.Compounds(words, known)
	kept := slices.DeleteFunc(slices.Clone(words), func(w rag.Word) bool { return w.Weight == 0 })
	if len(kept) == 0 && q.Threshold < 0 {
		kept = slices.DeleteFunc(words, func(w rag.Word) bool { return len(w.Terms) == 0 })
		for i := range kept {
			kept[i].Weight = 1
		}
	}
	return kept
}

// known tells whether a term stands in a passage of the areas' scopes.
func known(areas []area) func(string) bool {
	var buf [blockLen]posting
	return func(term string) bool {
		for _, a := range areas {
			number, ok := a.v.seg.lookup(term)
			if !ok {
				continue
			}
			l := a.v.seg.postings(number)
			for _, sp := range a.scopes {
				if l.count(sp.from, sp.to, &buf) > 0 {
					return true
				}
			}
		}
		return false
	}
}

// wanted is a term to look for, and how much it counts.
type wanted struct {
	text   string
	weight float64
	name   bool // of an article that the question asks for: it outweighs all the rest
}

// named returns the terms of the articles that the question calls by their names.
func named(q rag.Query, known func(string) bool) []wanted {
	var out []wanted
	for _, k := range rag.Named(q.Text, known) {
		out = append(out, wanted{text: k, name: true})
	}
	return out
}

// termsOf returns the terms of the words, each once with the most it counts anywhere.
func termsOf(words []rag.Word) []wanted {
	var terms []wanted
	add := func(t string, weight float64) {
		at := slices.IndexFunc(terms, func(o wanted) bool { return o.text == t })
		switch {
		case at >= 0:
			terms[at].weight = max(terms[at].weight, weight)
		case len(terms) < maxTerms:
			terms = append(terms, wanted{text: t, weight: weight})
		}
	}
	for _, w := range words {
		for i, t := range w.Terms {
			add(t, w.TermWeight(i))
		}
		for _, t := range w.Split {
			add(t, 1)
		}
		if w.Joined != "" {
			add(w.Joined, 1)
		}
	}
	return terms
}

// found is a candidate on its way to a hit.
type found struct {
	candidate
	confidence float64
	read       *rag.Hit // nil until somebody wants to see it
}

// proximityDepth is how many of the best are read to see how near the words stand.
const proximityDepth = 10

// answer turns candidates into hits: confidence, fusion with vectors, threshold, no repetitions.
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
	if err := evidence.readClosely(list[:min(len(list), proximityDepth)]); err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, best)
	list = x.fuse(ctx, s, evidence, q, list)
	var hits []rag.Hit
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
	h.Score, h.Rank = f.confidence, float64(f.score)
	return h, nil
}

// evidence knows, word by word, which terms to look for in a passage.
type evidence struct {
	s     *scorer
	words []wordTerms
	names []*term // of the articles asked for
}

type wordTerms struct {
	word     rag.Word
	weight   float64
	sentence int
	english  bool
	whole    *term
	parts    []*term // syllable pairs, or humps
	split    []*term // the words that a compound is made of
	joined   []*term // compounds with the word before or after it
}

func newEvidence(s *scorer, words []rag.Word) evidence {
	byText := make(map[string]*term, len(s.terms))
	for i := range s.terms {
		byText[s.terms[i].text] = &s.terms[i]
	}
	e := evidence{s: s}
	for i := range s.terms {
		if s.terms[i].name {
			e.names = append(e.names, &s.terms[i])
		}
	}
	for i, w := range words {
		wt := wordTerms{word: w, whole: byText[w.Terms[0]], sentence: w.Sentence, english: w.English()}
		if wt.whole == nil {
			continue // beyond maxTerms
		}
		wt.weight = w.Weight * wt.whole.idf
		if wt.whole.n == 0 && w.Modifier {
			wt.weight *= rag.UnknownModifier
		}
		find := func(texts ...string) (out []*term) {
			for _, p := range texts {
				if t := byText[p]; t != nil {
					out = append(out, t)
				}
			}
			return out
		}
		wt.parts, wt.split = find(w.Parts()...), find(w.Split...)
		wt.joined = find(w.Joined)
		if i > 0 {
			wt.joined = append(wt.joined, find(words[i-1].Joined)...)
		}
		e.words = append(e.words, wt)
	}
	return e
}

// judge looks at a candidate word by word: what it covers of the question raises
// its rank, and says how sure it is.
func (e evidence) judge(c candidate) found {
	list := make([]rag.Evidence, 0, len(e.words))
	for _, w := range e.words {
		ev := rag.Evidence{Weight: w.weight, Sentence: w.sentence, English: w.english, Match: e.match(w, c)}
		list = append(list, ev)
	}
	f := found{candidate: c, confidence: rag.Confidence(list)}
	f.score += float32(rag.Coverage(list))
	if slices.ContainsFunc(e.names, func(t *term) bool { return e.s.holds(t, c.area, c.chunk) }) {
		f.confidence = 1 // the very article that was asked for
	}
	return f
}

// readClosely raises those of the best that hold the words near each other.
func (e evidence) readClosely(list []found) error {
	if len(e.words) < 2 || len(list) < 2 {
		return nil
	}
	words, weights := make([]rag.Word, len(e.words)), make([]float64, len(e.words))
	for i, w := range e.words {
		words[i], weights[i] = w.word, w.weight
	}
	near := rag.NewProximity(words, weights)
	for i := range list {
		h, err := list[i].hit(e.s)
		if err != nil {
			return err
		}
		list[i].score += float32(near.Of(headOf(h.Document, h.Chunk), h.Chunk.Text))
	}
	return nil
}

// match says how much of a word a passage has.
func (e evidence) match(w wordTerms, c candidate) float64 {
	held := func(t *term) bool { return e.s.holds(t, c.area, c.chunk) }
	if held(w.whole) || slices.ContainsFunc(w.joined, held) {
		return 1
	}
	best := 0.0
	if len(w.parts) > 0 {
		have := 0
		for _, p := range w.parts {
			if held(p) {
				have++
			}
		}
		best = rag.PartialMatch(float64(have) / float64(len(w.parts)))
	}
	have, all := 0.0, 0.0
	for _, p := range w.split {
		all += p.idf
		if held(p) {
			have += p.idf
		}
	}
	if all > 0 {
		best = max(best, have/all)
	}
	return best
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

// Some implements [rag.Sampler].
func (x *Index) Some(ctx context.Context, scopes []string, limit int) ([]rag.Document, int, error) {
	if err := x.usable(ctx); err != nil {
		return nil, 0, err
	}
	snap := x.snap.Load()
	defer runtime.KeepAlive(snap)
	return snap.some(slices.Compact(slices.Sorted(slices.Values(scopes))), limit)
}

// Document returns one document, if one of scopes may read it, else [rag.ErrNotFound].
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

// Chunk returns one passage with its document, if one of scopes may read it.
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

// Passages returns the passages [from, to) of a document that one of scopes may read.
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
