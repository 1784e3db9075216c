package rag_test

import (
	"slices"
	"testing"

	"maru/rag"
)

// TestMarksNeedNoNormalising: marks of statutes are read as they are where a text has nothing else to normalise, and as
// before where it has.
func TestMarksNeedNoNormalising(t *testing.T) {
	t.Parallel()
	terms := func(text string) (out []string) {
		var a rag.Analyzer
		a.Document(text, func(term []byte) { out = append(out, string(term)) })
		return out
	}
	marks := []rune("ㆍ·“”")
	for r := '①'; r <= '⑳'; r++ {
		marks = append(marks, r)
	}
	for r := '、'; r <= '】'; r++ {
		marks = append(marks, r)
	}
	for _, r := range marks {
		text := "가나다" + string(r) + "라마바 " + string(r) + "사업 " + string(r)
		short, whole := terms(text), terms(text+" é")
		if len(whole) <= len(short) || !slices.Equal(short, whole[:len(short)]) {
			t.Errorf("%q is read %q, and %q beside a letter that is normalised", string(r), short, whole)
		}
	}
}
