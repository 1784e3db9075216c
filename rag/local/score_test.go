package local_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"maru/rag"
	"maru/rag/local"
)

// TestBestAreExact compares the best passages with those of a search that wants all, which leaves no passage out: what is skipped
// could not have been among them.
func TestBestAreExact(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, in one goroutine")
	}
	t.Parallel()
	x, err := local.Open(t.Context(), local.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	rnd := rand.New(rand.NewPCG(9, 10))
	zipf := rand.NewZipf(rnd, 1.05, 6, 4_000)
	word := func() string {
		n := zipf.Uint64()
		if n%3 == 0 {
			return fmt.Sprintf("w%x", n)
		}
		return string([]rune{'가' + rune(n%300), '나' + rune(n*7%400), '다' + rune(n*13%500)}) + "은"
	}
	text := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString(word() + " ")
		}
		return b.String()
	}
	all := 0
	for _, passages := range []int{6_000, 1_500, 700, 30} { // segments of several sizes
		var entries []local.Entry
		for d := range passages / 10 {
			doc := rag.Document{Source: fmt.Sprint(passages, " ", d), Title: text(2)}
			var chunks []rag.Chunk
			for range 10 {
				one := text(20 + rnd.IntN(60))
				chunks = append(chunks, rag.Chunk{Text: one, End: len(one)})
			}
			doc, chunks = rag.Own(doc, chunks, []string{"a", "b", "c"}[d%3])
			entries, all = append(entries, local.Entry{Document: doc, Chunks: chunks}), all+len(chunks)
		}
		if err := x.PutAll(t.Context(), entries); err != nil {
			t.Fatal(err)
		}
	}
	if gone, err := x.Delete(t.Context(), "a", rag.DocumentID("a", "1500 0")); !gone || err != nil {
		t.Fatalf("deleted %v: %v", gone, err)
	}
	if n := x.Segments(); n < 3 {
		t.Fatalf("%d segments", n)
	}
	for i := range 60 {
		q := rag.Query{Text: text(1 + rnd.IntN(30)), Scopes: [][]string{{"a", "b", "c"}, {"b"}, {"a", "c"}}[i%3]}
		for _, want := range []int{1, 40} {
			every := x.Best(q, all)
			if got, exact := x.Best(q, want), every[:min(want, len(every))]; !slices.Equal(got, exact) {
				t.Fatalf("best %d of %q in %v:\n%q, exact are\n%q", want, q.Text, q.Scopes, got, exact)
			}
		}
	}
}
