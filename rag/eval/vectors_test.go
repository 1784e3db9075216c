package eval_test

import (
	"context"
	"fmt"
	"testing"
	"time"

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
	if got[0] < 0.8 || got[1] < 0.1 || got[1] > 0.5 || got[2] > 0.05 {
		t.Errorf("good, weak and random vectors find %.2f", got)
	}
}
