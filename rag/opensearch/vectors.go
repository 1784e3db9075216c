package opensearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"maru/rag"
	"maru/rag/rank"
	"maru/rag/vec"
)

const (
	embedBatch   = 16              // passages per model call
	embedTimeout = 2 * time.Minute // per batch, in the background
	queryTimeout = 5 * time.Second // per question; then keywords answer alone
	sampleDocs   = 25              // documents sampled for the cosine distribution
	sampleEach   = 20              // passages of each
	maxSamples   = 32              // cached scope sets
)

var (
	errVectorCount = errors.New("rag/opensearch: the embedder returned another number of vectors than it was given texts")
	errVectorSize  = errors.New("rag/opensearch: the embedder changed the length of its vectors; give the new model another name")
)

// vectors are one model's. Each model has its own field in the passages, whose vectors serve as they come.
type vectors struct {
	embed rag.Embed
	model string // the model's mark on documents, and in the field's name
	field string
	size  atomic.Int64 // of a vector, once the field exists

	mu      sync.Mutex
	samples map[string]sample
}

// sample is a sample of the vectors of some scopes, valid for these numbers of passages and terms.
type sample struct {
	passages int
	tokens   int64
	of       []*vec.Vector
}

func newVectors(embed rag.Embed, model string) *vectors {
	if embed == nil {
		return nil
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(model)) // a hash does not fail
	mark := strconv.FormatUint(h.Sum64(), 36)
	return &vectors{embed: embed, model: mark, field: "v_" + mark, samples: map[string]sample{}}
}

// embedMissing embeds the documents without this model's mark, batch by batch.
func (x *Index) embedMissing(ctx context.Context) error {
	without := object{"bool": object{"must_not": []object{{"term": object{"embedded": object{"value": x.vectors.model}}}}}}
	return x.each(ctx, without, func(id string, last bool) error { return x.change(ctx, id, last, x.embedDocument) })
}

// Embedded implements [vec.Covered]. A document's vectors are stored at once, with all of its passages.
func (x *Index) Embedded(ctx context.Context) (c vec.Coverage, err error) {
	if err := x.usable(ctx); err != nil || x.vectors == nil {
		return c, err
	}
	c.Failed = x.outcome.Err()
	if !x.embeds() {
		c.Failed = errors.New(x.layout.Load().lacks()[0])
	}
	all, err := x.passagesOf(ctx, object{"match_all": object{}}, object{})
	if err == nil {
		var with answer
		with, err = x.passagesOf(ctx, object{"term": object{"embedded": object{"value": x.vectors.model}}}, object{})
		c.Have, c.All = with.Aggregations.Passages.Count, all.Aggregations.Passages.Count
	}
	if err != nil {
		return c, fmt.Errorf("rag/opensearch: count vectors: %w", err)
	}
	return c, nil
}

// embedDocument adds vectors to the source of a document.
func (x *Index) embedDocument(ctx context.Context, source object) error {
	passages, _ := source["passages"].([]any)
	scope, _ := source["scope"].(string)
	for at := 0; at < len(passages); at += embedBatch {
		batch := passages[at:min(at+embedBatch, len(passages))]
		if err := x.embedBatch(ctx, batch, scope); err != nil {
			return err
		}
	}
	marks, _ := source["embedded"].([]any)
	source["embedded"] = append(marks, x.vectors.model)
	return nil
}

func (x *Index) embedBatch(ctx context.Context, passages []any, scope string) error {
	texts := make([]string, len(passages))
	for i, p := range passages {
		o, _ := p.(object)
		texts[i], _ = o["text"].(string)
	}
	timed, cancel := context.WithTimeout(ctx, embedTimeout)
	defer cancel()
	out, err := x.vectors.embed(timed, texts, slices.Repeat([]string{scope}, len(texts)))
	if err != nil {
		return err
	}
	if len(out) != len(texts) {
		return errVectorCount
	}
	for i, floats := range out {
		v := vec.Quantise(floats)
		if v == nil {
			continue // a text without direction has no vector
		}
		if err := x.sized(ctx, len(floats)); err != nil {
			return err
		}
		if o, ok := passages[i].(object); ok {
			o[x.vectors.field] = v.Floats()
		}
	}
	return nil
}

// sized creates the model's field once the first vector gives its size.
func (x *Index) sized(ctx context.Context, size int) error {
	if known := x.vectors.size.Load(); known == int64(size) {
		return nil
	} else if known != 0 {
		return fmt.Errorf("%w: %d, were %d", errVectorSize, size, known)
	}
	field := object{"type": "knn_vector", "dimension": size, "method": object{"name": "hnsw", "space_type": "cosinesimil", "engine": "lucene"}}
	body, err := json.Marshal(object{"properties": object{"passages": object{"type": "nested", "properties": object{x.vectors.field: field}}}})
	if err != nil {
		return err
	}
	// Adding the same field again is a no-op; another size is an error.
	if err := x.do(ctx, request{method: http.MethodPut, path: []string{"_mapping"}, body: body}, nil); err != nil {
		var refused *Refused
		if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
			return fmt.Errorf("%w: %d: %w", errVectorSize, size, err)
		}
		return fmt.Errorf("make the field of vectors: %w", err)
	}
	x.vectors.size.Store(int64(size))
	return nil
}

// question embeds a question; nil without a model or after a timeout.
func (x *Index) question(ctx context.Context, q rag.Query) *vec.Vector {
	if !x.embeds() {
		return nil
	}
	ctx, cancel := q.Waiting(ctx, queryTimeout)
	defer cancel()
	out, err := x.vectors.embed(ctx, []string{q.Text}, nil)
	if err == nil && len(out) != 1 {
		err = errVectorCount
	}
	if q.Hurried(err) {
		return nil
	}
	if x.outcome.Asked(err) {
		x.nudge()
	}
	if err != nil {
		x.cfg.Log.WarnContext(ctx, "index: embed question", "err", err)
		return nil
	}
	return vec.Quantise(out[0])
}

// addNearest adds the nearest passages, and returns the distribution of the question's cosines.
func (x *Index) addNearest(ctx context.Context, question *rank.Question, in rank.Collection, asked *vec.Vector, found []rank.Candidate) ([]rank.Candidate, rag.Cosines, error) {
	all, err := x.field(ctx, question.Query.Scopes, in, asked)
	if err != nil || all.N == 0 {
		return found, all, err
	}
	a, err := x.search(ctx, object{
		"size": question.Want(), "_source": []string{"record"},
		"query": object{"bool": object{
			"filter": demands(question.Query),
			"must": []object{{"nested": object{
				"path": "passages", "score_mode": "max",
				"query": object{"knn": object{"passages." + x.vectors.field: object{
					"vector": asked.Floats(), "k": question.Want(), "filter": object{"bool": object{"filter": demands(question.Query)}},
				}}},
				"inner_hits": object{"size": 1, "_source": []string{"passages.record", "passages.text"}},
			}}},
		}},
	})
	if err != nil {
		return nil, all, err
	}
	at := map[string]int{}
	for i, c := range found {
		at[c.Chunk.ID] = i
	}
	for _, s := range scores(a) {
		cosine := 2*s.score - 1 // of Lucene's score for cosinesimil
		c, err := s.read()
		if err != nil {
			return nil, all, err
		}
		i, known := at[c.Chunk.ID]
		if !known {
			i, found = len(found), append(found, c)
		}
		found[i].Cosine, found[i].Near = cosine, true
	}
	return found, all, nil
}

// field returns the cosine distribution of the question in the scopes: mean and deviation of a sample, and the number
// of passages.
func (x *Index) field(ctx context.Context, scopes []string, in rank.Collection, asked *vec.Vector) (rag.Cosines, error) {
	s, err := x.sample(ctx, scopes, in)
	if err != nil {
		return rag.Cosines{}, err
	}
	if len(s) > 0 && len(s[0].Q) != len(asked.Q) {
		x.outcome.Asked(fmt.Errorf("%w: %d, were %d", errVectorSize, len(asked.Q), len(s[0].Q)))
		return rag.Cosines{}, nil
	}
	var sum, squares float64
	n := 0
	for _, v := range s {
		c := v.Dot(asked)
		n++
		sum += c
		squares += c * c
	}
	if n < 2 {
		return rag.Cosines{}, nil
	}
	mean := sum / float64(n)
	return rag.Cosines{Mean: mean, Deviation: math.Sqrt(max(0, squares/float64(n)-mean*mean)), N: in.Passages}, nil
}

// sample reads a sample of the scopes' vectors, cached while the scopes are unchanged.
func (x *Index) sample(ctx context.Context, scopes []string, in rank.Collection) ([]*vec.Vector, error) {
	key := strings.Join(scopes, "\x00")
	x.vectors.mu.Lock()
	known, ok := x.vectors.samples[key]
	x.vectors.mu.Unlock()
	if ok && known.passages == in.Passages && known.tokens == in.Tokens {
		return known.of, nil
	}
	a, err := x.search(ctx, object{
		"size": sampleDocs, "_source": []string{"id"},
		"query": object{"bool": object{
			"filter": []object{{"terms": object{"scope": scopes}}, {"term": object{"embedded": object{"value": x.vectors.model}}}},
			"must": []object{
				{"function_score": object{"random_score": object{"seed": 1, "field": "_seq_no"}}},
				{"nested": object{"path": "passages", "score_mode": "max", "query": object{"match_all": object{}},
					"inner_hits": object{"size": sampleEach, "_source": []string{"passages." + x.vectors.field}}}},
			},
		}},
	})
	if err != nil {
		return nil, err
	}
	s := sample{passages: in.Passages, tokens: in.Tokens}
	for _, h := range a.Hits.Hits {
		for _, p := range h.Inner.Passages.Hits.Hits {
			var floats []float32
			if json.Unmarshal(p.Source[x.vectors.field], &floats) != nil {
				continue // a text without direction has none
			}
			if v := vec.Quantise(floats); v != nil {
				s.of = append(s.of, v)
			}
		}
	}
	full := len(a.Hits.Hits) == sampleDocs || len(s.of) == in.Passages
	if !full {
		return s.of, nil // embedding is in progress: not worth caching
	}
	x.vectors.mu.Lock()
	defer x.vectors.mu.Unlock()
	if len(x.vectors.samples) >= maxSamples {
		clear(x.vectors.samples)
	}
	x.vectors.samples[key] = s
	return s.of, nil
}
