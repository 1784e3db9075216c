package eval

import (
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"maru/rag"
)

// VectorQuality is the error model of a simulated embedding model.
type VectorQuality struct {
	Name  string
	Right float64 // share of questions whose vector is next to an answering passage
	Sure  bool    // the others are as near to a wrong passage, not random
	Alike bool    // the candidate sharing the most words with the question, out of a hundred
}

// Pretended returns the qualities in a report, best first.
func Pretended() []VectorQuality {
	return []VectorQuality{{"good", 0.9, true, false}, {"weak", 0.25, true, false}, {"confused", 0.25, true, true}, {"wrong", 0, true, false}, {"random", 0, false, false}}
}

const (
	pretendedSize = 128
	nearness      = 0.8 // cosine of a question to its passage
)

// Pretend returns an embedder for the texts of s that knows the answers with the given quality. A confident one errs
// as firmly as it is right, unlike a real model: the result is a lower bound for any model of that quality.
func Pretend(s *Set, quality VectorQuality) rag.Embed {
	byEnd, byID, byText := map[string][]Passage{}, map[string]Passage{}, map[string]Question{}
	for _, p := range s.Corpus {
		byEnd[ending(p.Text)] = append(byEnd[ending(p.Text)], p)
		byID[p.ID] = p
	}
	for _, q := range s.Queries {
		byText[q.Text] = q
	}
	words := newOverlap(s)
	wrong := func(q Question, chance *rand.Rand) Passage {
		at := chance.IntN(len(s.Corpus))
		for range alikeOf {
			if next := chance.IntN(len(s.Corpus)); quality.Alike && s.Answers[q.ID][s.Corpus[next].ID] == 0 && words.of(q.Text, next) > words.of(q.Text, at) {
				at = next
			}
		}
		return s.Corpus[at]
	}
	beside := func(q Question) []float32 {
		chance := rand.New(rand.NewPCG(seed(q.ID), 1)) //nolint:gosec // G404: determinism is wanted
		if chance.Float64() < quality.Right {
			ids := make([]string, 0, len(s.Answers[q.ID]))
			for id := range s.Answers[q.ID] {
				ids = append(ids, id)
			}
			if slices.Sort(ids); len(ids) > 0 {
				return anywhere(byID[ids[0]].ID)
			}
		} else if quality.Sure {
			return anywhere(wrong(q, chance).ID)
		}
		return anywhere("nowhere near " + q.ID)
	}
	return func(_ context.Context, texts, _ []string) ([][]float32, error) {
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

const alikeOf = 100 // candidates of a confused model, which takes the one sharing the most words with the question

// overlap counts the words shared by questions and passages.
type overlap struct{ held []map[string]bool }

func newOverlap(s *Set) overlap {
	var a rag.Analyzer
	o := overlap{make([]map[string]bool, len(s.Corpus))}
	for i, p := range s.Corpus {
		o.held[i] = map[string]bool{}
		a.Document(p.Title+" "+p.Text, func(term []byte) { o.held[i][string(term)] = true })
	}
	return o
}

func (o overlap) of(question string, passage int) float64 {
	var a rag.Analyzer
	n := 0.0
	for _, w := range a.Query(question) {
		if w.Weight > 0 && o.held[passage][w.Terms[0]] {
			n += w.Weight
		}
	}
	return n
}

// ending returns the lookup key of a text; the index may put a title before it.
func ending(text string) string { return text[max(0, len(text)-40):] }

func seed(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum64()
}

// anywhere returns a pseudo-random direction for a name; all have about the same length.
func anywhere(name string) []float32 {
	chance := rand.New(rand.NewPCG(seed(name), 2)) //nolint:gosec // G404: determinism is wanted
	out := make([]float32, pretendedSize)
	for i := range out {
		out[i] = float32(chance.NormFloat64())
	}
	return out
}

// mix returns a direction near a, the rest towards b.
func mix(a, b []float32, near float32) []float32 {
	out := make([]float32, len(a))
	for i := range a {
		out[i] = near*a[i] + (1-near)*b[i]
	}
	return out
}
