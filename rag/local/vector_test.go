package local_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/local"
	"maru/rag/ragtest"
)

func random(_ context.Context, texts, _ []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = ragtest.Noise(t)
	}
	return out, nil
}

func fillMixed(t *testing.T, x *local.Index) { fillAmong(t, x, 60) }

// fillAmong puts three passages that questions ask for among so many others.
func fillAmong(t *testing.T, x *local.Index, others int) {
	t.Helper()
	var entries []local.Entry
	add := func(source, text string) {
		doc, chunks := ragtest.Doc("public", source, text)
		for i := range chunks {
			chunks[i].Context = ""
		}
		doc.Title = ""
		entries = append(entries, local.Entry{Document: doc, Chunks: chunks})
	}
	add("vacation", "Full-time staff may take fifteen days of vacation each year.")
	add("car", "The car park is below the building.")
	add("salary", "Money arrives on the 25th: that is when everybody is paid.")
	for i := range others {
		add(fmt.Sprint("noise", i), fmt.Sprintf("Note number %d about the printer, the kitchen and other matters.", i))
	}
	if err := x.PutAll(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
}

// eventually tries until the background embedder has caught up.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range 24000 {
		if ok() {
			return
		}
		<-tick.C
	}
	t.Fatalf("%s: not within two minutes", what)
}

func TestVectorsCrossLanguages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var calls atomic.Int64
	cfg := local.Config{Dir: dir, Embed: ragtest.Concepts(&calls), EmbedModel: "concepts-1"}
	x := open(t, cfg)
	fillMixed(t, x)
	ask := func() bool {
		hits, err := x.Search(t.Context(), rag.Query{Text: "휴가는 얼마나 되나요?", Scopes: []string{"public"}})
		if err != nil {
			t.Fatal(err)
		}
		return len(hits) > 0 && hits[0].Document.Source == "vacation"
	}
	eventually(t, "a Korean question finds the English passage", ask)
	if hits, err := x.Search(t.Context(), rag.Query{Text: "휴가는 얼마나 되나요?", Scopes: []string{"private"}}); err != nil || len(hits) != 0 {
		t.Errorf("another scope found %v, %v", hits, err)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	calls.Store(0)
	x = open(t, cfg)
	if !ask() {
		t.Error("after reopening the vectors are gone")
	}
	if n := calls.Load(); n > 1 {
		t.Errorf("reopening embedded %d texts, want only the question", n)
	}
}

// TestVectorsCrossLanguagesOfFewPassages: somebody's first three pages are asked in both
// languages, too.
func TestVectorsCrossLanguagesOfFewPassages(t *testing.T) {
	t.Parallel()
	x := open(t, local.Config{Embed: ragtest.Concepts(new(atomic.Int64)), EmbedModel: "concepts-1"})
	fillAmong(t, x, 5)
	eventually(t, "a Korean question finds the English passage among eight", func() bool {
		hits, err := x.Search(t.Context(), rag.Query{Text: "휴가는 얼마나 되나요?", Scopes: []string{"public"}})
		return err == nil && len(hits) > 0 && hits[0].Document.Source == "vacation"
	})
	if hits, err := x.Search(t.Context(), rag.Query{Text: "비트코인 시세는 얼마인가요?", Scopes: []string{"public"}}); err != nil || len(hits) != 0 {
		t.Errorf("what nothing is about finds %v, %v", hits, err)
	}
}

// TestWeakVectorsChangeNothing holds the hybrid ranking of a model that knows
// nothing, once some questions have shown that, against the lexical one.
func TestWeakVectorsChangeNothing(t *testing.T) {
	t.Parallel()
	plain, hybrid := open(t, local.Config{}), open(t, local.Config{Embed: random, EmbedModel: "random"})
	for _, x := range []*local.Index{plain, hybrid} {
		fillMixed(t, x)
	}
	for range 30 {
		if _, err := hybrid.Search(t.Context(), rag.Query{Text: "days of vacation", Scopes: []string{"public"}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, q := range []string{"printer number 7", "days of vacation", "car park building", "비트코인 시세"} {
		query := rag.Query{Text: q, Scopes: []string{"public"}, Limit: 10, Repeats: true}
		want, err := plain.Search(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		got, err := hybrid.Search(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: random vectors changed the answer\n%v\n%v", q, got, want)
		}
	}
}

func TestModelAway(t *testing.T) {
	t.Parallel()
	var away atomic.Bool
	away.Store(true)
	var calls atomic.Int64
	known := ragtest.Concepts(&calls)
	x := open(t, local.Config{EmbedModel: "m", Embed: func(ctx context.Context, texts, _ []string) ([][]float32, error) {
		if away.Load() {
			return nil, errors.New("connection refused")
		}
		return known(ctx, texts, nil)
	}})
	fillMixed(t, x)
	hits, err := x.Search(t.Context(), rag.Query{Text: "days of vacation", Scopes: []string{"public"}})
	if err != nil || len(hits) == 0 || hits[0].Document.Source != "vacation" {
		t.Fatalf("without the model: %v, %v; want the keyword answer", hits, err)
	}
	away.Store(false)
	fillMixed(t, x) // a new document makes it try again at once
	eventually(t, "vectors after the model came back", func() bool {
		hits, err := x.Search(t.Context(), rag.Query{Text: "주차", Scopes: []string{"public"}})
		return err == nil && len(hits) > 0 && hits[0].Document.Source == "car"
	})
}

// TestDeletedWhileEmbedding takes documents away while the model works on others:
// their words are not handed to it any more.
func TestDeletedWhileEmbedding(t *testing.T) {
	t.Parallel()
	asked, goOn := make(chan []string, 100), make(chan struct{}, 100)
	x := open(t, local.Config{EmbedModel: "m", Embed: func(ctx context.Context, texts, _ []string) ([][]float32, error) {
		select {
		case asked <- texts:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select {
		case <-goOn:
			return random(ctx, texts, nil)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}})
	var entries []local.Entry
	for i := range 130 { // more than two batches, in one segment
		doc, chunks := ragtest.Doc("public", fmt.Sprintf("%03d", i), fmt.Sprintf("The words of document %03d.", i))
		entries = append(entries, local.Entry{Document: doc, Chunks: chunks})
	}
	if err := x.PutAll(t.Context(), entries); err != nil {
		t.Fatal(err)
	}
	batch := <-asked
	first := strings.Join(batch, "\n")
	gone := map[string]string{} // by what is done to it, a document that the model has not seen
	for _, e := range entries {
		words := e.Chunks[0].Text
		switch {
		case strings.Contains(first, words):
		case gone["deleted"] == "":
			gone["deleted"] = words
			if ok, err := x.Delete(t.Context(), e.Document.Scope, e.Document.ID); err != nil || !ok {
				t.Fatalf("delete: %v, %v", ok, err)
			}
		case gone["replaced"] == "":
			gone["replaced"] = words
			doc, chunks := e.Document, slices.Clone(e.Chunks)
			doc.Hash, chunks[0].Text = "another", "Other words."
			if err := x.Put(t.Context(), doc, chunks); err != nil {
				t.Fatal(err)
			}
		}
	}
	later := ""
	for seen := len(batch); seen < 129; { // all but the deleted one
		goOn <- struct{}{}
		texts := <-asked
		later, seen = later+strings.Join(texts, "\n"), seen+len(texts)
	}
	goOn <- struct{}{}
	for how, words := range gone {
		if strings.Contains(later, words) {
			t.Errorf("the model was given %q, which had been %s", words, how)
		}
	}
	if !strings.Contains(later, "Other words.") {
		t.Error("the model was not given the new words")
	}
}

func TestEmbedded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ragtest.RunEmbedded(t, func(t *testing.T, embed rag.Embed, model string) rag.Index {
		return open(t, local.Config{Dir: dir, Embed: embed, EmbedModel: model})
	})
}
