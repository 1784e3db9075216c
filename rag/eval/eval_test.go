package eval_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/datatest"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/local"
)

func putAll(x *local.Index) eval.Put {
	return func(ctx context.Context, docs []rag.Document, chunks [][]rag.Chunk) error {
		entries := make([]local.Entry, len(docs))
		for i := range docs {
			entries[i] = local.Entry{Document: docs[i], Chunks: chunks[i]}
		}
		return x.PutAll(ctx, entries)
	}
}

// TestGate keeps retrieval from getting worse unnoticed. It asks every twelfth
// KorQuAD question (MARU_EVAL_FULL=1 asks all) and all of the smaller sets.
func TestGate(t *testing.T) {
	if testing.Short() {
		t.Skip("figures; TestPretendedVectors and TestRemoved go the same ways")
	}
	t.Parallel()
	data := datatest.Dir(t)
	every := 12
	if os.Getenv("MARU_EVAL_FULL") != "" {
		every = 1
	}
	var reports []eval.Report
	for _, c := range []struct {
		set   string
		every int
		ndcg  float64            // of all questions
		first map[string]float64 // R@1 by kind
	}{
		{"korquad1-dev", every, 0.968, nil},
		{"scifact", 1, 0.699, nil},
		{"ko-law-small", 1, 0.99, map[string]float64{"number": 1, "chatty": 0.99, "title": 0.90}},
	} {
		s, err := eval.ReadSet(filepath.Join(data, c.set))
		if err != nil {
			t.Fatal(err)
		}
		x, err := local.Open(t.Context(), local.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = x.Close() }()
		start := time.Now()
		if err := eval.Fill(t.Context(), s, putAll(x)); err != nil {
			t.Fatal(err)
		}
		took := time.Since(start)
		r, err := eval.Evaluate(t.Context(), x, s, c.every, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		r.Indexing = took.Seconds()
		reports = append(reports, r)
		for _, row := range r.Rows {
			if least := c.first[row.Kind]; row.Recall1 < least {
				t.Errorf("%s, %s: R@1 is %.4f, want at least %.2f", c.set, row.Kind, row.Recall1, least)
			}
		}
		if got := r.Rows[0].NDCG10; got < c.ndcg {
			t.Errorf("%s: nDCG@10 is %.4f, want at least %.4f", c.set, got, c.ndcg)
		}
	}
	var b strings.Builder
	if err := eval.WriteTable(&b, reports...); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
}
