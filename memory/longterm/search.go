package longterm

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"maru/rag"
)

// match is a record with its relevance to a query.
type match struct {
	record    Record
	relevance float64
	score     float64
}

// leastRelevance is the minimum relevance of a record to a query.
const leastRelevance = 0.12

// search returns the readable, relevant records, best first.
func (m *Memory) search(ctx context.Context, o Owner, kinds []Kind, query string) ([]match, error) {
	words := questionTerms(query)
	if o.absent() || len(words) == 0 {
		return nil, nil
	}
	q := Query{Person: o.Person, Kinds: kinds, Scopes: o.scopes()}
	for t := range words {
		q.Words = append(q.Words, t)
	}
	slices.Sort(q.Words)
	q.Vector = m.queryVector(ctx, query)
	records, err := m.store.Find(ctx, q, false)
	if err != nil {
		return nil, err
	}
	out := m.scoreRecords(records, words, q.Vector)
	out = slices.DeleteFunc(out, func(f match) bool { return f.relevance < leastRelevance })
	slices.SortFunc(out, byScore)
	return out, nil
}

// all returns the readable records, newest first.
func (m *Memory) all(ctx context.Context, o Owner, kinds []Kind) ([]match, error) {
	if o.absent() {
		return nil, nil
	}
	records, err := m.store.Find(ctx, Query{Person: o.Person, Kinds: kinds, Scopes: o.scopes()}, false)
	if err != nil {
		return nil, err
	}
	out := m.scoreRecords(records, nil, nil)
	slices.SortFunc(out, func(a, b match) int {
		return cmp.Or(b.record.Last.Compare(a.record.Last), strings.Compare(a.record.ID, b.record.ID))
	})
	return out, nil
}

// byScore sorts best first and breaks ties deterministically.
func byScore(a, b match) int {
	return cmp.Or(cmp.Compare(b.score, a.score), b.record.Last.Compare(a.record.Last), strings.Compare(a.record.ID, b.record.ID))
}

// embedPatience limits the wait for a question's vector.
const embedPatience = 500 * time.Millisecond

// queryVector embeds a query. If the embedder fails, keywords are used alone.
func (m *Memory) queryVector(ctx context.Context, query string) []float32 {
	if m.embed == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, embedPatience)
	defer cancel()
	v, err := m.embed(ctx, []string{query}, true)
	if err != nil || len(v) != 1 {
		return nil
	}
	return v[0]
}

// questionTerms returns the terms of a query with their weights.
func questionTerms(query string) map[string]float64 {
	var a rag.Analyzer
	words := map[string]float64{}
	for _, w := range a.Query(query) {
		for i, t := range w.Terms {
			if weight := w.Weight * w.TermWeight(i); weight > words[t] {
				words[t] = weight
			}
		}
	}
	return words
}

// scoreRecords scores records for a query. Rare words weigh more; words of a record beyond the query cost half their
// weight.
func (m *Memory) scoreRecords(records []Record, words map[string]float64, vector []float32) []match {
	in := map[string]int{}
	sets := make([]map[string]bool, len(records))
	for i, r := range records {
		sets[i] = make(map[string]bool, len(r.Terms))
		for _, t := range r.Terms {
			if !sets[i][t] {
				sets[i][t] = true
				in[t]++
			}
		}
	}
	// Collections of one person are small, so a word in most records keeps half the weight of a word in none.
	rarest := rag.IDF(len(records), 0)
	idf := func(t string) float64 { return 1 + rag.IDF(len(records), in[t])/rarest }
	asked := 0.0
	for t, w := range words {
		asked += w * w * idf(t) * idf(t)
	}
	now := m.now()
	out := make([]match, len(records))
	for i, r := range records {
		f := match{record: r, relevance: max(likeness(sets[i], words, asked, idf), cosine(vector, r.Vector))}
		f.score = rank(f.relevance, r.Confidence(), Recency(r.Last, now))
		out[i] = f
	}
	return out
}

// likeness combines the cosine of query and record with the matched share of the query's weight.
func likeness(set map[string]bool, words map[string]float64, asked float64, idf func(string) float64) float64 {
	shared, own := 0.0, 0.0
	for t := range set {
		w := 1.0
		if strings.HasPrefix(t, "\x01") || strings.HasPrefix(t, "\x02") { // parts of words in rag's analysis
			w = 0.4
		}
		v := w * idf(t)
		own += v * v
		shared += words[t] * idf(t) * v
	}
	if shared == 0 || asked == 0 || own == 0 {
		return 0
	}
	return unit((shared/asked + shared/math.Sqrt(asked*own)) / 2)
}

// cosine returns the cosine of two vectors, 0 if one is missing or their lengths differ.
func cosine(a, b []float32) float64 {
	if len(a) == 0 || len(a) != len(b) {
		return 0
	}
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return unit(ab / math.Sqrt(aa*bb))
}
