package eval

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
)

// VectorQuality is how much a pretended embedding model knows.
type VectorQuality struct {
	Name  string
	Right float64 // share of questions whose vector lies beside a passage that answers
	Sure  bool    // the others lie as near to a wrong passage, and not nowhere
}

// Pretended are the qualities that a report shows, best first.
func Pretended() []VectorQuality {
	return []VectorQuality{{"good", 0.9, true}, {"weak", 0.25, true}, {"random", 0, false}}
}

const (
	pretendedSize = 128
	nearness      = 0.8 // of a question to the passage that it is put beside
)

// Pretend returns an embedder for the texts of s that knows its answers as well as quality
// says. One that is sure errs as firmly as it is right, as no real model does: what an index
// makes of it is the worst that it makes of any model of that quality.
func Pretend(s *Set, quality VectorQuality) func(ctx context.Context, texts []string) ([][]float32, error) {
	byEnd, byID, byText := map[string][]Passage{}, map[string]Passage{}, map[string]Question{}
	for _, p := range s.Corpus {
		byEnd[ending(p.Text)] = append(byEnd[ending(p.Text)], p)
		byID[p.ID] = p
	}
	for _, q := range s.Queries {
		byText[q.Text] = q
	}
	beside := func(q Question) []float32 {
		chance := rand.New(rand.NewPCG(seed(q.ID), 1)) //nolint:gosec // G404: the same each time is wanted
		if chance.Float64() < quality.Right {
			ids := make([]string, 0, len(s.Answers[q.ID]))
			for id := range s.Answers[q.ID] {
				ids = append(ids, id)
			}
			if slices.Sort(ids); len(ids) > 0 {
				return anywhere(byID[ids[0]].ID)
			}
		} else if quality.Sure {
			return anywhere(s.Corpus[chance.IntN(len(s.Corpus))].ID)
		}
		return anywhere("nowhere near " + q.ID)
	}
	return func(_ context.Context, texts []string) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, text := range texts {
			if q, ok := byText[text]; ok {
				out[i] = mix(beside(q), anywhere("noise of "+q.ID), nearness)
				continue
			}
			id := text
			for _, p := range byEnd[ending(text)] {
				if strings.HasSuffix(text, p.Text) {
					id = p.ID
				}
			}
			out[i] = anywhere(id)
		}
		return out, nil
	}
}

// ending is by what a text is looked up; the index may put a title before it.
func ending(text string) string { return text[max(0, len(text)-40):] }

func seed(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum64()
}

// anywhere is the direction of a name; all are about as long.
func anywhere(name string) []float32 {
	chance := rand.New(rand.NewPCG(seed(name), 2)) //nolint:gosec // G404: the same each time is wanted
	out := make([]float32, pretendedSize)
	for i := range out {
		out[i] = float32(chance.NormFloat64())
	}
	return out
}

// mix is a direction that lies near a, and for the rest towards b.
func mix(a, b []float32, near float32) []float32 {
	out := make([]float32, len(a))
	for i := range a {
		out[i] = near*a[i] + (1-near)*b[i]
	}
	return out
}
