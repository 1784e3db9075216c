package rag_test

import (
	"fmt"
	"runtime"
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

// TestTermsKeepNoWholeText: remembered sentences do not keep the long texts they were cut from, and many short ones do not fill the
// memory: the memo holds at most some 1.3 MB.
func TestTermsKeepNoWholeText(t *testing.T) {
	if testing.Short() {
		t.Skip("counts memory")
	}
	var a rag.Analyzer
	held := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	a.Terms("warm")
	before := held()
	for i := range 1000 {
		text := fmt.Sprintf("%s number %d.", strings.Repeat("one of many words ", 2000), i)
		for round := range 2 { // once more, from the older half as well
			a.Terms(text[len(text)-20-round:])
		}
	}
	if kept := held() - before; kept > 2<<20 {
		t.Errorf("%d KiB are kept by the ends of texts", kept>>10)
	}
	for i := range 200_000 {
		a.Terms(fmt.Sprint(i))
	}
	if kept := held() - before; kept > 2<<20 {
		t.Errorf("%d KiB are kept by short texts", kept>>10)
	}
}
