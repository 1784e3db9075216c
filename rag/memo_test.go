package rag_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"maru/rag"
)

// TestTermsAreThoseOfTheAnalyzer: also the second time, of long texts, and after many others.
func TestTermsAreThoseOfTheAnalyzer(t *testing.T) {
	t.Parallel()
	texts := []string{"", "연차는 15일이에요. Employees carry five days over.", "parseHTTPRequest 제10조의2", strings.Repeat("긴 글입니다. ", 2000)}
	for i := range 400 { // more than are remembered
		texts = append(texts, fmt.Sprintf("%d: %s", i, strings.Repeat("other words ", 100)))
	}
	for round := range 2 {
		for _, text := range texts {
			var want []string
			var a rag.Analyzer
			a.Document(text, func(term []byte) { want = append(want, string(term)) })
			for range 2 {
				if got := a.Terms(text); !slices.Equal(got, want) {
					t.Fatalf("round %d: the terms of %.40q are %q, want %q", round, text, got, want)
				}
			}
		}
	}
}
