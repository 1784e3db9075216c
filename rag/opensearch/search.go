package opensearch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"maru/rag"
	"maru/rag/rank"
	"maru/rag/vec"
)

// Search finds the passages nearest to the question among those it may read.
func (x *Index) Search(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
	if err := x.usable(ctx); err != nil {
		return nil, err
	}
	q = rank.Bound(q, x.cfg.Threshold)
	q.Scopes = slices.Compact(slices.Sorted(slices.Values(q.Scopes)))
	if len(q.Scopes) == 0 || len(rank.Words(q, func(string) bool { return false })) == 0 {
		return nil, nil
	}
	asked := x.question(ctx, q)
	hits, err := x.ask(ctx, q, asked)
	if err != nil {
		return nil, fmt.Errorf("rag/opensearch: search: %w", err)
	}
	if asked != nil && !q.Exam {
		x.keepLearned(ctx, lessonsKept)
	}
	return hits, nil
}

func (x *Index) ask(ctx context.Context, q rag.Query, asked *vec.Vector) ([]rag.Hit, error) {
	in, err := x.collection(ctx, q.Scopes)
	if err != nil {
		return nil, err
	}
	question, err := rank.Ask(ctx, q, in)
	if err != nil || question == nil {
		return nil, err
	}
	found, err := x.candidates(ctx, question)
	var v rank.Vectors
	if err == nil && asked != nil {
		v.Blend = &x.blend
		found, v.Cosines, err = x.addNearest(ctx, question, in, asked, found)
	}
	if err != nil {
		return nil, err
	}
	return question.Rank(found, v), nil
}

// collection holds the statistics of the scopes.
func (x *Index) collection(ctx context.Context, scopes []string) (rank.Collection, error) {
	a, err := x.count(ctx, scopes, object{"length": object{"sum": object{"field": "passages.length"}}})
	if err != nil {
		return rank.Collection{}, err
	}
	p := a.Aggregations.Passages
	return rank.Collection{
		Passages: p.Count, Tokens: int64(p.Length.Value),
		Count: func(ctx context.Context, terms []string) (map[string]int, error) {
			return x.countTerms(ctx, scopes, terms)
		},
	}, nil
}

// count counts the nested passages of scopes.
func (x *Index) count(ctx context.Context, scopes []string, what object) (answer, error) {
	return x.passagesOf(ctx, inScopes(scopes), what)
}

// passagesOf counts the nested passages of the documents of a query.
func (x *Index) passagesOf(ctx context.Context, query, what object) (answer, error) {
	return x.search(ctx, object{
		"size": 0, "query": query,
		"aggs": object{"passages": object{"nested": object{"path": "passages"}, "aggs": what}},
	})
}

// countTerms returns the document frequency of each term in the scopes. It requests every term by name, so that the
// counts of all shards are complete.
func (x *Index) countTerms(ctx context.Context, scopes, terms []string) (map[string]int, error) {
	by := make(map[string]string, len(terms))
	hashes := make([]string, len(terms))
	for i, t := range terms {
		hashes[i] = hash(t)
		by[hashes[i]] = t
	}
	a, err := x.count(ctx, scopes, object{"terms": object{"terms": object{"field": "passages.terms", "include": hashes, "size": len(hashes)}}})
	if err != nil {
		return nil, err
	}
	n := make(map[string]int, len(terms))
	for _, b := range a.Aggregations.Passages.Terms.Buckets {
		n[by[b.Key]] = b.Count
	}
	return n, nil
}

// noriWeight is the weight of BM25 over the nori analysis beside the terms: it breaks ties, and adds candidates
// without a matching term.
const noriWeight = 0.1

// analysed bounds the letters of a question that the cluster analyses: each may become a clause, and with rank's terms
// they must stay below OpenSearch's limit of 1,024 in a query.
const analysed = 500

// begin returns the beginning of a long question.
func begin(text string) string {
	if r := []rune(text); len(r) > analysed {
		return string(r[:analysed])
	}
	return text
}

// candidates requests the documents with the best passages, with as many passages of each as are wanted in total:
// these include the overall best.
func (x *Index) candidates(ctx context.Context, question *rank.Question) ([]rank.Candidate, error) {
	q, want := question.Query, question.Want()
	should := []object{{"match": object{"passages.text": object{"query": begin(q.Text), "boost": noriWeight}}}}
	for i, t := range question.Terms {
		if t.N > 0 && question.Gain(i) > 0 {
			should = append(should, object{"constant_score": object{
				"filter": object{"term": object{"passages.terms": object{"value": hash(t.Text)}}}, "boost": question.Gain(i),
			}})
		}
	}
	a, err := x.search(ctx, object{
		"size": want, "_source": []string{"record"},
		"query": object{"bool": object{
			"filter": demands(q),
			"must": []object{{"nested": object{
				"path": "passages", "score_mode": "max",
				"query":      object{"bool": object{"should": should, "minimum_should_match": 1}},
				"inner_hits": object{"size": want, "_source": []string{"passages.record", "passages.text"}},
			}}},
		}},
	})
	if err != nil {
		return nil, err
	}
	return best(a, want)
}

// scored is a passage of a response, not decoded yet.
type scored struct {
	document string // rag.Document as JSON
	passage  map[string]json.RawMessage
	score    float64
}

func scores(a answer) (all []scored) {
	for _, h := range a.Hits.Hits {
		for _, p := range h.Inner.Passages.Hits.Hits {
			all = append(all, scored{h.Source.Record, p.Source, p.Score})
		}
	}
	return all
}

func (s scored) read() (c rank.Candidate, err error) {
	if c.Document, err = decode[rag.Document](s.document); err != nil {
		return c, err
	}
	record, err := decode[string](string(s.passage["record"]))
	if err != nil {
		return c, err
	}
	text := ""
	if raw, ok := s.passage["text"]; ok { // an empty one is left out
		if text, err = decode[string](string(raw)); err != nil {
			return c, err
		}
	}
	c.Chunk, err = passage(record, text)
	return c, err
}

// best decodes the highest-scoring passages of a response.
func best(a answer, want int) ([]rank.Candidate, error) {
	all := scores(a)
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]rank.Candidate, 0, min(want, len(all)))
	for _, s := range all[:min(want, len(all))] {
		c, err := s.read()
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// demands returns a query's document conditions.
func demands(q rag.Query) []object {
	list := []object{{"terms": object{"scope": q.Scopes}}}
	if len(q.Documents) > 0 {
		list = append(list, object{"terms": object{"id": q.Documents}})
	}
	f := q.Filter()
	for _, t := range f.Tags {
		list = append(list, object{"term": object{"tags": object{"value": t}}})
	}
	span := object{}
	if !f.Since.IsZero() {
		span["gte"] = f.Since.UnixMicro()
	}
	if !f.Until.IsZero() {
		span["lt"] = f.Until.UnixMicro()
	}
	if len(span) > 0 {
		list = append(list, object{"range": object{"added": span}})
	}
	return list
}
