package eval_test

import (
	"context"
	"fmt"
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

// TestColloquial asks sixty long colloquial questions that one person wrote from KorQuAD's passages, not from its questions, and
// holds the ranking beside a plain BM25. The odd ones are open.
func TestColloquial(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	besidePlain(t, "colloquial.tsv", 1.0)
}

// TestChats asks two hundred such questions by another author, 138 to KorQuAD and 62 to articles of Korean law, written from the
// passages before the author looked at a ranking. The odd ones are open.
func TestChats(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	besidePlain(t, "chats.tsv", 1.01)
}

// TestStrangers asks two hundred such questions by a third author, who had read neither ranking nor the other sets. The odd ones are
// open.
func TestStrangers(t *testing.T) {
	if testing.Short() {
		t.Skip("figures")
	}
	t.Parallel()
	besidePlain(t, "strangers.tsv", 1.01)
}

// besidePlain measures both halves of a file of questions, and wants at least this many times the nDCG@10 of a plain BM25
// in each.
func besidePlain(t *testing.T, name string, least float64) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")
	ours, theirs, asked := [2]float64{}, [2]float64{}, [2]float64{}
	for _, source := range []string{"korquad1-dev", "ko-law-small"} {
		set, err := eval.ReadSet(filepath.Join(datatest.Dir(t), source))
		if err != nil {
			t.Fatal(err)
		}
		passages := map[string]bool{}
		for _, p := range set.Corpus {
			passages[p.ID] = true
		}
		halves := [2]*eval.Set{}
		for h := range halves {
			one := *set
			one.Queries, one.Answers, one.Name = nil, map[string]map[string]int{}, fmt.Sprint(source, " half ", h+1)
			halves[h] = &one
		}
		for i, line := range lines {
			passage, text, ok := strings.Cut(line, "\t")
			if !ok {
				t.Fatalf("line %d has no tab", i+1)
			}
			if passages[passage] {
				half, id := halves[i%2], fmt.Sprint("c", i+1)
				half.Queries = append(half.Queries, eval.Question{ID: id, Text: text})
				half.Answers[id] = map[string]int{passage: 1}
			}
		}
		if len(halves[0].Queries) == 0 {
			continue
		}
		x, err := local.Open(t.Context(), local.Config{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = x.Close() })
		if err := eval.Fill(t.Context(), set, putAll(x)); err != nil {
			t.Fatal(err)
		}
		bm25 := newPlain(set)
		for h, half := range halves {
			a, b := measured(t.Context(), t, x, half), measured(t.Context(), t, bm25, half)
			n := float64(a.Questions)
			t.Logf("| %s | %d | nDCG@10 %.4f | plain %.4f | %.3f × | R@1 %.3f, %.3f |", half.Name, a.Questions, a.NDCG10, b.NDCG10, a.NDCG10/b.NDCG10, a.Recall1, b.Recall1)
			ours[h], theirs[h], asked[h] = ours[h]+n*a.NDCG10, theirs[h]+n*b.NDCG10, asked[h]+n
		}
	}
	for h := range ours {
		if ours[h] < least*theirs[h] {
			t.Errorf("half %d: nDCG@10 %.4f, a plain BM25 has %.4f, want %.2f times that", h+1, ours[h]/asked[h], theirs[h]/asked[h], least)
		}
		t.Logf("| half %d | %.0f | nDCG@10 %.4f | plain %.4f | %.3f × |", h+1, asked[h], ours[h]/asked[h], theirs[h]/asked[h], ours[h]/theirs[h])
	}
}

func measured(ctx context.Context, t *testing.T, x rag.Index, s *eval.Set) eval.Row {
	t.Helper()
	r, err := eval.Evaluate(ctx, x, s, 1, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return r.Rows[0]
}
