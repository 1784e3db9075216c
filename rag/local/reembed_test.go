package local_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"maru/rag"
	"maru/rag/local"
	"maru/rag/ragtest"
)

// findsVacation reports whether the question, which shares no word with the passage,
// finds it: only vectors can.
func findsVacation(t *testing.T, x *local.Index) bool {
	t.Helper()
	hits, err := x.Search(t.Context(), rag.Query{Text: "휴가는 얼마나 되나요?", Scopes: []string{"public"}})
	if err != nil {
		t.Fatal(err)
	}
	return len(hits) > 0 && hits[0].Document.Source == "vacation"
}

// fillMore makes passages for more than one batch.
func fillMore(t *testing.T, x *local.Index) {
	t.Helper()
	var entries []local.Entry
	for i := range 150 {
		doc, chunks := ragtest.Doc("public", fmt.Sprint("more", i), fmt.Sprintf("Report %d about machines.", i))
		entries = append(entries, local.Entry{Document: doc, Chunks: chunks})
	}
	if err := x.PutAll(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
}

// TestChangingTheModel changes the embedding model, ends the program twice while
// the new one is at work, and looks on: the old vectors answer until every
// passage has a new one, documents are taken all the while, and nothing is
// embedded twice.
func TestChangingTheModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var oldCalls, newCalls atomic.Int64
	before := local.Config{Dir: dir, Embed: ragtest.Concepts(&oldCalls), EmbedModel: "before"}
	x := open(t, before)
	fillMixed(t, x)
	fillMore(t, x)
	eventually(t, "the old vectors", func() bool { return oldCalls.Load() >= 213 })
	eventually(t, "an answer of the old vectors", func() bool { return findsVacation(t, x) })
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}

	known := ragtest.Concepts(&newCalls)
	batches := make(chan struct{}, 100) // a batch is embedded for each
	asked := make(chan struct{}, 100)
	after := local.Config{Dir: dir, EmbedModel: "after",
		Embed: func(ctx context.Context, texts, _ []string) ([][]float32, error) {
			if len(texts) == 1 && strings.Contains(texts[0], "휴가는") {
				return known(ctx, texts, nil)
			}
			asked <- struct{}{}
			select {
			case <-batches:
				return known(ctx, texts, nil)
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		EmbedOld: func(model string) rag.Embed {
			if model != "before" {
				t.Errorf("the model before is %q", model)
			}
			return ragtest.Concepts(&oldCalls)
		},
	}
	for round := range 2 { // one batch each, then the program ends in the middle of the next
		x = open(t, after)
		batches <- struct{}{}
		for range 2 {
			<-asked
		}
		newly := newCalls.Load()
		if !findsVacation(t, x) {
			t.Errorf("round %d: the old vectors do not serve", round)
		}
		if newCalls.Load() != newly {
			t.Errorf("round %d: the question went to the new model", round)
		}
		doc, chunks := ragtest.Doc("public", fmt.Sprint("meanwhile", round), "A ferry departs in the morning.")
		if err := x.Put(t.Context(), doc, chunks); err != nil {
			t.Fatalf("round %d: a document while the model is at work: %v", round, err)
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		batches <- struct{}{}
	}
	x = open(t, after)
	old := filepath.Join(dir, "vectors-*.vec")
	eventually(t, "the new vectors take over", func() bool {
		files, err := filepath.Glob(old)
		return err == nil && len(files) == 1
	})
	if n := newCalls.Load(); n != 215 {
		t.Errorf("the new model embedded %d texts, want each of 215 once", n)
	}
	oldBefore := oldCalls.Load()
	if !findsVacation(t, x) || oldCalls.Load() != oldBefore {
		t.Errorf("after taking over: the old model was asked %d times", oldCalls.Load()-oldBefore)
	}
}

// TestOldModelIsGone changes the model where the old one answers no more: the
// keywords answer, then the new vectors.
func TestOldModelIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var calls atomic.Int64
	x := open(t, local.Config{Dir: dir, Embed: ragtest.Concepts(&calls), EmbedModel: "before"})
	fillMixed(t, x)
	eventually(t, "the old vectors", func() bool { return findsVacation(t, x) })
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	x = open(t, local.Config{Dir: dir, Embed: ragtest.Concepts(&calls), EmbedModel: "after", EmbedOld: func(string) rag.Embed {
		return func(context.Context, []string, []string) ([][]float32, error) {
			return nil, errors.New("model not found")
		}
	}})
	eventually(t, "the new vectors", func() bool { return findsVacation(t, x) })
}

// TestTextWithoutDirection gives the model a text that it has no vector for: it is
// asked once.
func TestTextWithoutDirection(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	x := open(t, local.Config{EmbedModel: "m", Embed: func(_ context.Context, texts, _ []string) ([][]float32, error) {
		calls.Add(int64(len(texts)))
		return make([][]float32, len(texts)), nil
	}})
	for i := range 5 {
		doc, chunks := ragtest.Doc("public", "same", "연차는 15일입니다.")
		if err := x.Put(t.Context(), doc, chunks); err != nil {
			t.Fatal(err)
		}
		eventually(t, fmt.Sprint("the model is asked, ", i), func() bool { return calls.Load() > 0 })
	}
	if hits, err := x.Search(t.Context(), rag.Query{Text: "연차", Scopes: []string{"public"}}); err != nil || len(hits) != 1 {
		t.Errorf("found %v, %v", hits, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if n := calls.Load(); n != 2 {
		t.Errorf("%d texts were embedded, want the passage once and the question", n)
	}
}
