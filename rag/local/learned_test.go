package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"maru/rag"
	"maru/rag/local"
	"maru/rag/ragtest"
)

// TestWhatWasLearnedOutlivesARestart: it lies beside the vectors, an exam adds nothing to it, and a
// damaged file is learned again.
func TestWhatWasLearnedOutlivesARestart(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	dir := t.TempDir()
	cfg := local.Config{Dir: dir, Embed: ragtest.Concepts(&calls), EmbedModel: "m"}
	ask := func(x *local.Index, exam bool) {
		t.Helper()
		if hits, err := x.Search(t.Context(), rag.Query{Text: "days of vacation", Scopes: []string{"public"}, Exam: exam}); err != nil || len(hits) == 0 {
			t.Fatalf("%v, %v", hits, err)
		}
	}
	stored := func() string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(dir, "vectors-*.json"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v", files, err)
		}
		raw, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	x := open(t, cfg)
	for i := range 20 {
		text := fmt.Sprintf("Report %d about machines.", i)
		if i == 0 {
			text = "Full-time staff may take fifteen days of vacation each year."
		}
		doc, chunks := ragtest.Doc("public", fmt.Sprint("d", i), text)
		if err := x.Put(t.Context(), doc, chunks); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.EmbedNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		ask(x, false)
		ask(x, true)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	first := stored()
	x = open(t, cfg)
	ask(x, false)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if second := stored(); first[:9] != `{"sure":5` || second[:9] != `{"sure":6` {
		t.Errorf("stored %s, then %s", first, second)
	}
	files, err := filepath.Glob(filepath.Join(dir, "vectors-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], []byte(`{"sure":-`), 0o600); err != nil {
		t.Fatal(err)
	}
	x = open(t, cfg)
	ask(x, false)
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	if third := stored(); third[:9] != `{"sure":1` {
		t.Errorf("after damage %s", third)
	}
}
