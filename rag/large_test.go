package rag_test

import (
	"strings"
	"testing"

	"maru/datatest"
	"maru/rag"
)

// TestLargeText is about time: each of these made a reading quadratic, which took minutes.
func TestLargeText(t *testing.T) {
	t.Parallel()
	size := 1 << 19
	if datatest.Short(t) {
		size = 1 << 15
	}
	hits := []rag.Hit{{Document: rag.Document{Title: "가나"}, Chunk: rag.Chunk{Text: "가나 다라 마바"}}}
	for name, c := range map[string]struct {
		piece string
		read  func(text string)
	}{
		"spans_of_code":      {"`a` ", func(s string) { rag.Renumber(s, 3) }},
		"backticks_unclosed": {"`a ``\n", func(s string) { rag.Cited(s, 3) }},
		"marks_of_one_line":  {" [1]", func(s string) { rag.DropInvented(s, 0) }},
		"one_quotation":      {"\n> a", func(s string) { rag.Ground(s, hits) }},
		"words_of_a_title":   {"가 ", func(s string) { new(rag.Analyzer).Title(s, func([]byte) {}) }},
		"brackets_in_a_head": {" (", func(s string) { new(rag.Analyzer).Title(s, func([]byte) {}) }},
		"number_of_numbers":  {"1.1.", func(s string) { new(rag.Analyzer).Document("§"+s, func([]byte) {}) }},
		"tags":               {"tag:a ", func(s string) { rag.Narrow(rag.Query{Text: s}, nil) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.read(strings.Repeat(c.piece, size/len(c.piece)))
		})
	}
}
