package rag_test

import (
	"testing"

	"maru/rag"
)

// TestHolding: a text holds a word itself, its parts, or another word for it.
func TestHolding(t *testing.T) {
	t.Parallel()
	var a rag.Analyzer
	h := rag.HoldingOf("육아 휴직은 1년 6개월입니다.", "Unused annual leave carries over.")
	for text, want := range map[string][2]float64{"leave": {1, 1}, "육아휴직": {0.5, 1}, "carrying": {1, 1}, "parking": {0, 0}, "주차": {0, 0}} {
		words := a.Query(text)
		rag.Synonyms(words, func(term string) bool { return h[term] })
		if len(words) != 1 {
			t.Fatalf("%q is %d words", text, len(words))
		}
		if got := h.Match(words[0]); got < want[0] || got > want[1] {
			t.Errorf("%q is held %.2f, want %v", text, got, want)
		}
	}
	words, ill := a.Query("육아휴직"), rag.HoldingOf("질병 휴직은 6개월입니다.")
	rag.Synonyms(words, func(term string) bool { return ill[term] || h[term] })
	if got := ill.Match(words[0]); got <= 0 || got >= 0.45 {
		t.Errorf("one of two words of a synonym is held %.2f", got)
	}
	words = a.Query("vacation")
	rag.Synonyms(words, func(term string) bool { return h[term] })
	if got := h.Match(words[0]); got < 0.5 {
		t.Errorf("another word for leave is held %.2f", got)
	}
}
