package tool

import (
	"math"

	"maru/rag"
)

// pastWeight is the weight of the most similar past tasks relative to all words of a task.
const pastWeight = 1.0

// maxPast bounds the past uses that are read for one task.
const maxPast = 200

// past scores tools, between -1 and 1, by what they did for similar tasks: a success counts for a tool, a failure
// against it, weighted by the similarity of the tasks.
func (x *index) past(q question, uses []Use) map[uint32]float32 {
	if len(uses) == 0 {
		return nil
	}
	weights := map[string]float32{}
	for _, t := range q.terms {
		if t.whole {
			weights[t.term] = t.weight * x.idf(t.term)
		}
	}
	var a rag.Analyzer
	scores := map[uint32]float32{}
	var all float32
	for _, u := range uses[:min(len(uses), maxPast)] {
		slot, ok := x.slots[u.Tool]
		if !ok {
			continue
		}
		alike := x.alike(weights, questionTerms(&a, u.Task))
		vote := alike * alike * alike
		all += vote
		if !u.OK {
			vote = -vote
		}
		scores[slot] += vote
	}
	for slot := range scores {
		scores[slot] /= max(all, 1)
	}
	return scores
}

// recall adds what past tasks say to a score. What speaks against a tool halves
// its score at most: it was found by this task's words all the same.
func recall(score, past float32) float32 {
	if past < 0 {
		return score * (1 + past/2)
	}
	return score + pastWeight*past
}

// alike returns the cosine of two tasks' words, weighted by how rare they are.
func (x *index) alike(weights map[string]float32, other question) float32 {
	var dot, a, b float64
	for _, w := range weights {
		a += float64(w) * float64(w)
	}
	for _, t := range other.terms {
		if !t.whole {
			continue
		}
		w := float64(t.weight * x.idf(t.term))
		b += w * w
		dot += w * float64(weights[t.term])
	}
	if a == 0 || b == 0 {
		return 0
	}
	return float32(dot / math.Sqrt(a*b))
}
