package rank

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"maru/rag"
)

// Limits of one answer, the same in every index.
const (
	DefaultLimit = 5
	MaxLimit     = 1000
)

// Bound applies defaults: a bounded limit, and the index's threshold (0 means [rag.DefaultThreshold]) if the query
// has none.
func Bound(q rag.Query, threshold float64) rag.Query {
	q.Limit = min(cmp.Or(max(q.Limit, 0), DefaultLimit), MaxLimit)
	if q.Threshold == 0 {
		q.Threshold = cmp.Or(threshold, rag.DefaultThreshold)
	}
	return q
}

// Collection holds the statistics of a query's scopes. Filters do not change them.
type Collection struct {
	Passages int
	Tokens   int64 // terms of all passages, names left out: see [Analyse]
	// Count returns the document frequency of each term. A term missing from the result has none.
	Count func(ctx context.Context, terms []string) (map[string]int, error)
}

// Question is a query with its collection's statistics, for indexes with external candidates: they search for its
// Terms, return at least [Question.Want] of the passages with most of them, and let it rank those.
type Question struct {
	Query rag.Query
	Terms []Term // the weightiest first

	gains    []float64 // upper bound of a term's rank contribution
	average  float64   // length of a passage in terms
	evidence *Evidence
}

// maxRounds bounds the count queries per question: parts of a word are counted once the word is known to be missing,
// and so on.
const maxRounds = 8

var errRounds = errors.New("rank: the question keeps asking for more terms")

// Ask parses a query. It returns nil if it has no search words.
func Ask(ctx context.Context, q rag.Query, in Collection) (*Question, error) {
	if in.Passages <= 0 {
		return nil, nil //nolint:nilnil // no search words is a valid result
	}
	counts := map[string]int{}
	for range maxRounds {
		var missing []string
		known := func(term string) bool {
			n, asked := counts[term]
			if !asked {
				missing = append(missing, term)
			}
			return n > 0
		}
		words := Words(q, known)
		terms := Terms(q, words, known)
		for _, t := range terms {
			known(t.Text)
		}
		if len(missing) == 0 {
			if len(words) == 0 {
				return nil, nil //nolint:nilnil // no search words
			}
			return newQuestion(q, words, terms, counts, in), nil
		}
		slices.Sort(missing)
		missing = slices.Compact(missing)
		got, err := in.Count(ctx, missing)
		if err != nil {
			return nil, err
		}
		for _, t := range missing {
			counts[t] = got[t]
		}
	}
	return nil, errRounds
}

func newQuestion(q rag.Query, words []rag.Word, wanted []Wanted, counts map[string]int, in Collection) *Question {
	x := &Question{Query: q, average: float64(in.Tokens) / float64(in.Passages)}
	all := 0.0
	idf := func(n int) float64 { return rag.IDF(max(in.Passages, n), n) }
	for _, w := range wanted {
		t := Term{Wanted: w, N: counts[w.Text], IDF: idf(counts[w.Text])}
		if w.Of != "" {
			t.Weight *= min(1, idf(counts[w.Of])/t.IDF)
		}
		x.Terms = append(x.Terms, t)
		if !w.Name {
			all += t.Weight * t.IDF
		}
	}
	gain := func(t Term) float64 {
		if t.Name { // in the longest passage a name must still outweigh all words together
			return all / rag.TF(1, math.MaxUint16, x.average, false)
		}
		return t.Weight * t.IDF
	}
	slices.SortStableFunc(x.Terms, func(a, b Term) int { return cmp.Compare(gain(b), gain(a)) })
	for _, t := range x.Terms {
		x.gains = append(x.gains, gain(t))
	}
	x.evidence = NewEvidence(words, x.Terms)
	return x
}

// Gain returns the upper bound of a term's rank contribution by index.
func (x *Question) Gain(term int) float64 { return x.gains[term] }

// Average returns the average length of a passage in terms, for [rag.TF].
func (x *Question) Average() float64 { return x.average }

// Want returns the number of top passages by words that a ranking needs.
func (x *Question) Want() int { return max(4*x.Query.Limit, 40) }

// Candidate is a passage to rank. Of one of the nearest by vectors, Near, the index sets the Cosine to the question.
type Candidate struct {
	Document rag.Document
	Chunk    rag.Chunk
	Cosine   float64
	Near     bool
}

// Vectors is how an embedding model sees a question: what is known of the model, nil if there is none, and the
// distribution of the question's cosines.
type Vectors struct {
	Blend   *rag.Blend
	Cosines rag.Cosines
}

// ranked is a candidate that may become a hit.
type ranked struct {
	Candidate

	held       []bool // by term
	score      float64
	confidence float64
}

// proximityDepth is the number of top candidates read for word proximity.
const proximityDepth = 10

// Rank turns candidates into hits: by words first, then fused with the vectors, without those below the threshold and
// duplicates. Candidates may come in any order, each once.
func (x *Question) Rank(candidates []Candidate, v Vectors) []rag.Hit {
	var lexical, rest []ranked
	var a rag.Analyzer
	for _, c := range candidates {
		if r := x.weigh(&a, c); r.score > 0 {
			lexical = append(lexical, r)
		} else {
			rest = append(rest, r)
		}
	}
	best := func(a, b ranked) int {
		return cmp.Or(cmp.Compare(b.score, a.score), strings.Compare(a.Chunk.ID, b.Chunk.ID))
	}
	slices.SortFunc(lexical, best)
	if n := x.Want(); len(lexical) > n {
		for _, r := range lexical[n:] {
			if r.Near {
				rest = append(rest, r)
			}
		}
		lexical = lexical[:n]
	}
	for i := range lexical {
		var coverage float64
		lexical[i].confidence, coverage = x.evidence.Judge(func(t int) bool { return lexical[i].held[t] })
		lexical[i].score += coverage
	}
	slices.SortFunc(lexical, best)
	if near := x.evidence.Near(); near != nil && len(lexical) > 1 {
		for i := range lexical[:min(len(lexical), proximityDepth)] {
			r := &lexical[i]
			r.score += near.Of(Head(r.Document, r.Chunk), r.Chunk.Text)
		}
		slices.SortFunc(lexical, best)
	}
	return x.hits(x.fuse(lexical, rest, v))
}

// weigh computes BM25 of one candidate.
func (x *Question) weigh(a *rag.Analyzer, c Candidate) ranked {
	place := make(map[string]int, len(x.Terms))
	for i, t := range x.Terms {
		place[t.Text] = i
	}
	times := make([]int, len(x.Terms))
	length := Analyse(a, c.Document, c.Chunk, func(term []byte) {
		if i, ok := place[string(term)]; ok {
			times[i]++
		}
	})
	r := ranked{Candidate: c, held: make([]bool, len(x.Terms))}
	for i, n := range times {
		if n > 0 {
			r.held[i] = true
			r.score += x.gains[i] * rag.TF(float64(n), float64(length), x.average, rag.English(x.Terms[i].Text))
		}
	}
	return r
}

// Analyse emits every term of a passage, as indexes store them, and returns its length: the number of words, without
// names.
func Analyse(a *rag.Analyzer, doc rag.Document, c rag.Chunk, emit func(term []byte)) (length int) {
	count := func(term []byte) {
		if !rag.IsKey(term) {
			length++
		}
		emit(term)
	}
	a.Title(Head(doc, c), count)
	a.Document(c.Text, count)
	return length
}

// fuse merges vector hits, if any.
func (x *Question) fuse(lexical, rest []ranked, v Vectors) []ranked {
	if v.Blend == nil {
		return lexical
	}
	all := append(lexical, rest...) //nolint:gocritic // a longer list of its own
	judged := make([]rag.Judged, len(all))
	for i := range all {
		judged[i] = rag.Judged{Near: all[i].Near, Cosine: all[i].Cosine}
		if i < len(lexical) {
			judged[i].Score = all[i].score
		} else {
			all[i].confidence, _ = x.evidence.Judge(func(t int) bool { return all[i].held[t] })
		}
		judged[i].Confidence = all[i].confidence
	}
	order, confidence := v.Blend.Fuse(judged, v.Cosines, !x.Query.Exam)
	out := make([]ranked, len(order))
	for at, i := range order {
		out[at] = all[i]
		out[at].confidence = confidence[i]
	}
	return out
}

// hits applies the threshold and the limit, and drops duplicates.
func (x *Question) hits(list []ranked) []rag.Hit {
	var hits []rag.Hit
	var distinct rag.Distinct
	for _, r := range list {
		if len(hits) == x.Query.Limit {
			break
		}
		if r.confidence < x.Query.Threshold {
			continue
		}
		h := rag.Hit{Chunk: r.Chunk, Document: r.Document, Score: r.confidence, Rank: r.score, Named: x.evidence.Named(func(t int) bool { return r.held[t] })}
		if x.Query.Repeats || distinct.Add(h) {
			hits = append(hits, h)
		}
	}
	return hits
}
