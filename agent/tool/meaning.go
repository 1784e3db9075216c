package tool

import (
	"context"
	"math"
	"slices"
	"time"

	"maru/agent/llm"
	"maru/rag"
)

// Limits of asking the embedding model.
const (
	embedTimeout    = 30 * time.Second       // of a batch, when tools are added
	questionTimeout = 500 * time.Millisecond // of one task; then words decide alone
	embedBatch      = 256
)

// meaningWeight is the weight of a certain vector match relative to all words of a task.
const meaningWeight = 0.5

// Embed gives vectors to the tools that have none. It asks the embedding model and
// so may take a while; where the model fails, words find those tools all the same,
// and the next call tries again. Without a model it does nothing.
func (r *Recommender) Embed(ctx context.Context) {
	if r.embed == nil {
		return
	}
	r.embedding.Lock()
	defer r.embedding.Unlock()
	for batch := range slices.Chunk(r.bare(), embedBatch) {
		texts := make([]string, len(batch))
		for i, s := range batch {
			texts[i] = s.Name + ": " + clip(s.Description, 2<<10)
		}
		vectors := r.embedded(ctx, llm.PassageText, texts, embedTimeout)
		if vectors == nil {
			return
		}
		r.mu.Lock()
		for i, s := range batch {
			slot, there := r.index.slots[s.Name]
			if there && r.index.docs[slot].spec.Description == s.Description {
				r.index.docs[slot].vector = vectors[i]
			}
		}
		r.mu.Unlock()
	}
}

// bare lists the tools that have no vector.
func (r *Recommender) bare() []Spec {
	r.settle()
	r.mu.RLock()
	defer r.mu.RUnlock()
	var specs []Spec
	for _, d := range r.index.docs {
		if d.terms != nil && d.vector == nil {
			specs = append(specs, d.spec)
		}
	}
	return specs
}

// question returns the vector of a task, or nil.
func (r *Recommender) question(ctx context.Context, task string) []float32 {
	if r.embed == nil {
		return nil
	}
	if v := r.embedded(ctx, llm.QuestionText, []string{clip(task, 8<<10)}, questionTimeout); v != nil {
		return v[0]
	}
	return nil
}

// embedded returns the texts' vectors with length 1, or nil if the model fails.
func (r *Recommender) embedded(ctx context.Context, kind llm.TextKind, texts []string, limit time.Duration) [][]float32 {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	vectors, err := r.embed.Embed(ctx, kind, texts)
	if err != nil || len(vectors) != len(texts) {
		r.log.WarnContext(ctx, "tools are found by words alone", "texts", len(texts), "vectors", len(vectors), "err", err)
		return nil
	}
	for i, v := range vectors {
		vectors[i] = unit(v)
	}
	return vectors
}

// unit returns v with length 1, or nil for a vector that has no direction.
func unit(v []float32) []float32 {
	var sum float64
	for _, f := range v {
		sum += float64(f) * float64(f)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return nil
	}
	out := make([]float32, len(v))
	for i, f := range v {
		out[i] = float32(float64(f) / math.Sqrt(sum))
	}
	return out
}

// meaning scores all tools by their vectors, from 0 to 1, or returns nil. What
// chance would bring counts nothing: see [rag.VectorGate].
func (x *index) meaning(vector []float32) []float32 {
	if vector == nil {
		return nil
	}
	scores := make([]float32, len(x.docs))
	var sum, squares float64
	n := 0
	for slot, d := range x.docs {
		if len(d.vector) != len(vector) {
			continue
		}
		var dot float32
		for i, f := range d.vector {
			dot += f * vector[i]
		}
		scores[slot] = dot
		sum, squares, n = sum+float64(dot), squares+float64(dot)*float64(dot), n+1
	}
	mean := sum / float64(max(1, n))
	deviation := math.Sqrt(max(0, squares/float64(max(1, n))-mean*mean))
	for slot, d := range x.docs {
		if len(d.vector) == len(vector) {
			scores[slot] = float32(rag.VectorGate(float64(scores[slot]), mean, deviation, n))
		}
	}
	return scores
}
