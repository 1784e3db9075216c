package replica

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"maru/rag"
)

// TestPackingAllocatesLittle bounds the memory for the documents that a program packs at its first start. Not parallel:
// others would count.
func TestPackingAllocatesLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("counts memory, which race instrumentation changes")
	}
	chunks := []rag.Chunk{{ID: "d#0", Document: "d", Text: "연차 휴가는 15일이에요."}, {ID: "d#1", Document: "d", Text: "Ask your lead."}}
	const times = 100
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		if body, err := pack(chunks); err != nil || len(body) == 0 {
			t.Fatalf("%d bytes, %v", len(body), err)
		}
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > 64<<10 {
		t.Errorf("packing a document allocates %d bytes", each)
	}
}

// TestPackingSideBySide: compressors are shared, bodies are not.
func TestPackingSideBySide(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 30 {
				want := fmt.Sprint("passage ", i, " ", n)
				body, err := pack([]rag.Chunk{{Text: want}})
				if err != nil {
					t.Error(err)
					return
				}
				if got, err := unpack(body); err != nil || len(got) != 1 || got[0].Text != want {
					t.Errorf("%q became %+v, %v", want, got, err)
				}
			}
		})
	}
	all.Wait()
}
