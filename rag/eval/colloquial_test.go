package eval_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/datatest"
	"maru/rag/eval"
	"maru/rag/local"
)

// TestColloquial asks sixty long colloquial questions that one person wrote from KorQuAD's passages, not from its questions, and
// holds the ranking beside a plain BM25. The odd ones are open.
func TestColloquial(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	set, err := eval.ReadSet(filepath.Join(datatest.Dir(t), "korquad1-dev"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join("testdata", "colloquial.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	halves := [2]*eval.Set{}
	for h := range halves {
		one := *set
		one.Queries, one.Answers, one.Name = nil, map[string]map[string]int{}, fmt.Sprint("colloquial half ", h+1)
		halves[h] = &one
	}
	for i, line := range strings.Split(strings.TrimSpace(string(file)), "\n") {
		passage, text, ok := strings.Cut(line, "\t")
		if !ok {
			t.Fatalf("line %d has no tab", i+1)
		}
		half, id := halves[i%2], fmt.Sprint("c", i+1)
		half.Queries = append(half.Queries, eval.Question{ID: id, Text: text})
		half.Answers[id] = map[string]int{passage: 1}
	}
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if err := eval.Fill(t.Context(), set, putAll(x)); err != nil {
		t.Fatal(err)
	}
	bm25, ours, theirs := newPlain(set), 0.0, 0.0
	for _, half := range halves {
		o, err := eval.Evaluate(t.Context(), x, half, 1, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		p, err := eval.Evaluate(t.Context(), bm25, half, 1, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		a, b := o.Rows[0], p.Rows[0]
		t.Logf("| %s | %d | nDCG@10 %.4f | plain %.4f | %.3f × | R@1 %.3f, %.3f |", half.Name, a.Questions, a.NDCG10, b.NDCG10, a.NDCG10/b.NDCG10, a.Recall1, b.Recall1)
		ours, theirs = ours+a.NDCG10, theirs+b.NDCG10
	}
	if ours < 0.99*theirs {
		t.Errorf("nDCG@10 %.4f, a plain BM25 has %.4f", ours/2, theirs/2)
	}
}
