package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/eval"
)

// fixed is an index that answers every question with the same documents.
type fixed struct {
	rag.Index
	ids []string
}

func (f fixed) Search(context.Context, rag.Query) ([]rag.Hit, error) {
	var hits []rag.Hit
	for _, id := range f.ids {
		hits = append(hits, rag.Hit{Document: rag.Document{ID: id}, Score: 0.9})
	}
	return hits, nil
}

func writeSet(t *testing.T, corpus, queries, qrels string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels.tsv": qrels} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	dir := writeSet(t, `{"_id":"a","text":"x"}`, "{\"_id\":\"q1\",\"text\":\"x\",\"kind\":\"k\"}\n{\"_id\":\"unjudged\",\"text\":\"y\"}\n", "query-id\tcorpus-id\tscore\nq1\ta\t1\nq1\tb\t1\nq1\tc\t0\n")
	s, err := eval.ReadSet(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := eval.Evaluate(t.Context(), fixed{ids: []string{"c", "a", "z", "z", "z", "b"}}, s, 1, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	got := r.Rows[0]
	ndcg := (1/math.Log2(3) + 1/math.Log2(7)) / (1 + 1/math.Log2(3))
	if got.Questions != 1 || math.Abs(got.NDCG10-ndcg) > 1e-9 || got.MRR != 0.5 || got.Recall1 != 0 || got.Recall5 != 0.5 || got.Recall10 != 1 || got.Found != 1 {
		t.Errorf("row %+v, want nDCG %.4f, MRR 0.5, recall 0, 0.5, 1", got, ndcg)
	}
	if len(r.Rows) != 2 || r.Rows[1].Kind != "k" {
		t.Errorf("rows %+v, want all and kind k", r.Rows)
	}
	var table, js bytes.Buffer
	if err := eval.WriteTable(&table, r); err != nil || !strings.Contains(table.String(), "nDCG@10") {
		t.Errorf("table %q, %v", table.String(), err)
	}
	var back []eval.Report
	if err := eval.WriteJSON(&js, r); err != nil || json.Unmarshal(js.Bytes(), &back) != nil || back[0].Rows[0] != got {
		t.Errorf("JSON %s, %v", js.String(), err)
	}
}

func TestBadSets(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ corpus, queries, qrels, want string }{
		"corpus": {"{bad", "", "", "corpus.jsonl, line 1"},
		"qrels":  {"", "", "query-id\tcorpus-id\tscore\na\tb\n", "qrels.tsv, line 2"},
		"grade":  {"", "", "a\tb\tx\n", "no number"},
	} {
		if _, err := eval.ReadSet(writeSet(t, c.corpus, c.queries, c.qrels)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := eval.ReadSet(t.TempDir()); err == nil || !strings.Contains(err.Error(), "qrels.tsv") {
		t.Errorf("an empty folder: %v, want to be told what a set is", err)
	}
}
