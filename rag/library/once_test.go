package library

import (
	"fmt"
	"testing"

	"maru/rag"
)

// BenchmarkOnce compares the passages of many documents with each other.
func BenchmarkOnce(b *testing.B) {
	var hits []rag.Hit
	for i := range 20 {
		hits = append(hits, rag.Hit{
			Document: rag.Document{ID: fmt.Sprint("d", i), Chunks: 3},
			Chunk:    rag.Chunk{Document: fmt.Sprint("d", i), Text: fmt.Sprintf("Rule %d of the handbook: employees of team %d may take leave after %d weeks, and tell their lead %d days before.", i, i*7, i*3, i+20)},
		})
	}
	s := newShelf(nil, func(rag.Document, int) ([]string, bool) { return nil, true })
	for b.Loop() {
		if len(s.once(hits)) == 0 {
			b.Fatal("nothing is left")
		}
	}
}
