package eval_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"maru/datatest"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/local"
)

// TestPretendedVectors has a set whose questions share no word with their passages: what
// vectors know is all that finds them, and random ones find nothing.
func TestPretendedVectors(t *testing.T) {
	t.Parallel()
	s := &eval.Set{Name: "made", Answers: map[string]map[string]int{}}
	for i := range 300 {
		id := fmt.Sprint("p", i)
		s.Corpus = append(s.Corpus, eval.Passage{ID: id, Title: "Note", Text: fmt.Sprintf("passage word%d stands here among other words", i)})
		if i < 60 {
			q := eval.Question{ID: fmt.Sprint("q", i), Text: fmt.Sprintf("zebra %c%c%c", 'k'+i/10, 'm'+i%10, 'q')}
			s.Queries, s.Answers[q.ID] = append(s.Queries, q), map[string]int{id: 1}
		}
	}
	var got []float64
	for _, q := range eval.Pretended() {
		x, err := local.Open(t.Context(), local.Config{Embed: eval.Pretend(s, q), EmbedModel: q.Name})
		if err != nil {
			t.Fatal(err)
		}
		err = eval.Fill(t.Context(), s, func(ctx context.Context, docs []rag.Document, chunks [][]rag.Chunk) error {
			for i := range docs {
				if err := x.Put(ctx, docs[i], chunks[i]); err != nil {
					return err
				}
			}
			return x.EmbedNow(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		r, err := eval.Evaluate(t.Context(), x, s, 1, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		got = append(got, r.Rows[0].Recall1)
	}
	if got[0] < 0.8 || got[1] < 0.1 || got[1] > 0.5 || got[2] < 0.1 || got[2] > 0.5 || got[3] > 0.05 || got[4] > 0.05 {
		t.Errorf("good, weak, confused, wrong and random vectors find %.2f", got)
	}
}

// TestHybridNeverBelowKeywords asks public sets beside vectors of every quality: those that err, wherever
// they err and however sure they are of it, cost no more than chance, and good ones gain.
func TestHybridNeverBelowKeywords(t *testing.T) {
	if testing.Short() {
		t.Skip("a figure; TestPretendedVectors has the same ways on a small set")
	}
	t.Parallel()
	const chance = 0.01 // nDCG; less than the standard error of these samples
	for _, c := range []struct {
		set   string
		every int
		gain  float64 // of good vectors
	}{{"korquad1-dev", 16, 0.005}, {"ko-law-small", 4, 0}, {"scifact", 2, 0.15}} {
		if c.set != "korquad1-dev" && os.Getenv("MARU_EVAL_FULL") == "" {
			continue // their vectors take a minute
		}
		s, err := eval.ReadSet(filepath.Join(datatest.Dir(t), c.set))
		if err != nil {
			t.Fatal(err)
		}
		keywords := hybrid(t, s, nil, c.every)
		for _, q := range eval.Pretended() {
			least := keywords - chance
			if q.Name == "good" {
				least = keywords + c.gain
			}
			if got := hybrid(t, s, &q, c.every); got < least {
				t.Errorf("%s: keywords alone %.4f, beside %s vectors %.4f", c.set, keywords, q.Name, got)
			}
		}
	}
}

// hybrid returns the nDCG@10 of a set beside vectors of a quality, or of keywords alone.
func hybrid(t *testing.T, s *eval.Set, q *eval.VectorQuality, every int) float64 {
	t.Helper()
	cfg := local.Config{}
	if q != nil {
		cfg.Embed, cfg.EmbedModel = eval.Pretend(s, *q), q.Name
	}
	x, err := local.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	if err := eval.Fill(t.Context(), s, putAll(x)); err != nil {
		t.Fatal(err)
	}
	if q != nil {
		if err := x.EmbedNow(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := eval.Teach(t.Context(), x, s, every); err != nil {
			t.Fatal(err)
		}
	}
	r, err := eval.Evaluate(t.Context(), x, s, every, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return r.Rows[0].NDCG10
}
