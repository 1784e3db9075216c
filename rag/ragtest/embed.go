package ragtest

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"maru/rag"
)

// dimensions of the vectors that the embedders make.
const dimensions = 64

// Concepts returns an embedder for a few words in both languages: texts on the same topic are near, all others far.
// calls counts the texts.
func Concepts(calls *atomic.Int64) rag.Embed {
	groups := [][]string{{"휴가", "연차", "vacation", "leave"}, {"주차", "parking", "car "}, {"월급", "급여", "salary", "paid"}}
	return func(_ context.Context, texts, _ []string) ([][]float32, error) {
		calls.Add(int64(len(texts)))
		out := make([][]float32, len(texts))
		for i, text := range texts {
			out[i] = Noise(text)
			for g, words := range groups {
				for _, w := range words {
					if strings.Contains(strings.ToLower(text), w) {
						out[i][g] += 12
					}
				}
			}
		}
		return out, nil
	}
}

// Noise returns a pseudo-random vector for a text, without meaning.
func Noise(text string) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // never fails
	rnd := rand.New(rand.NewPCG(h.Sum64(), 1))
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(rnd.NormFloat64())
	}
	return v
}
