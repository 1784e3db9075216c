package chateval_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maru/rag"
	"maru/rag/library"
)

// TestRerankBound measures what a model that reranks can gain at most: on how many paraphrases the right passage is among the five
// that are shown without it, and among the twenty that it may choose from. An oracle, no model, chooses here.
func TestRerankBound(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	dir := filepath.Join("..", "..", "..", "handbook")
	for _, lang := range []string{"ko", "en"} {
		pages, err := filepath.Glob(filepath.Join(dir, lang, "*.md"))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no pages of the handbook: %v", err)
		}
		for _, p := range pages {
			data, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.lib.AddBundled(t.Context(), "public", []library.Bundled{{Name: lang + "/" + filepath.Base(p), Data: data}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	file, err := os.ReadFile(filepath.Join(dir, "testdata", "paraphrases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	all, first, five, twenty := 0, 0, 0, 0
	for line := range strings.Lines(string(file)) {
		var c struct {
			Question string   `json:"question"`
			Relevant []string `json:"relevant"`
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		hits, err := s.lib.Search(t.Context(), rag.Query{Text: c.Question, Scopes: []string{"public"}, Limit: 20})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(hits, func(h rag.Hit) bool {
			last := h.Chunk.Heading[len(h.Chunk.Heading)-1]
			return slices.Contains(c.Relevant, h.Document.Source+"#"+last)
		})
		all++
		if at == 0 {
			first++
		}
		if at >= 0 && at < 5 {
			five++
		}
		if at >= 0 {
			twenty++
		}
	}
	t.Logf("| paraphrases | %d | first %d | among five (rerank off) %d | among twenty (an oracle reranks) %d |", all, first, five, twenty)
	if all < 30 || first < 10 || five < 12 || twenty < 12 {
		t.Errorf("%d questions, %d first, %d among five, %d among twenty; want 30, 10, 12, 12", all, first, five, twenty)
	}
}
