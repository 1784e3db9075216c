package pgvector_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"maru/rag"
	"maru/rag/pgvector"
	"maru/rag/ragtest"
)

// TestOldAnalyser: what another version of the analyser wrote, by a program from before the
// version was kept, is found again once the index is opened, by two programs at once. A damaged
// document, the first in their order, holds up no other.
func TestOldAnalyser(t *testing.T) {
	t.Parallel()
	cfg := debian(t)
	x := open(t, cfg)
	for i := range 20 {
		doc, chunks := ragtest.Doc("public", fmt.Sprint("doc", i), fmt.Sprintf("A zebra of number %d.", i), "A lion.")
		if err := x.Put(t.Context(), doc, chunks); err != nil {
			t.Fatal(err)
		}
	}
	if n := zebras(t, x); n != 20 {
		t.Fatalf("%d zebras, want 20", n)
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	exec(t.Context(), t, cfg, fmt.Sprintf(`ALTER TABLE %[1]s.rag_index_passages DROP COLUMN analyser;
		UPDATE %[1]s.rag_index_passages SET terms = ARRAY[42], times = ARRAY[1], length = 1;
		UPDATE %[1]s.rag_index_documents SET record = 'damaged' WHERE id = (SELECT min(id) FROM %[1]s.rag_index_documents);
		UPDATE %[1]s.rag_index_scopes SET tokens = 40, version = version + 1`, cfg.Schema))
	var both sync.WaitGroup
	indexes := make([]*pgvector.Index, 2)
	for i := range indexes {
		both.Go(func() {
			var err error
			if indexes[i], err = pgvector.Open(t.Context(), cfg); err != nil {
				t.Error(err)
				return
			}
			t.Cleanup(func() { _ = indexes[i].Close() })
		})
	}
	both.Wait()
	if t.Failed() {
		return
	}
	for i, x := range indexes {
		n := 0
		for tick, tries := time.NewTicker(10*time.Millisecond), 0; n < 19 && tries < 6000; tries++ {
			<-tick.C
			n = zebras(t, x)
		}
		if n != 19 {
			t.Errorf("index %d finds %d zebras again, want 19", i, n)
		}
	}
}

func zebras(t *testing.T, x rag.Index) int {
	t.Helper()
	hits, err := x.Search(t.Context(), rag.Query{Text: "zebra", Scopes: []string{"public"}, Limit: 50, Threshold: -1, Repeats: true})
	if err != nil {
		t.Fatal(err)
	}
	return len(hits)
}
