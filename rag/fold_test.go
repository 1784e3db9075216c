package rag

import (
	"testing"

	"golang.org/x/text/unicode/norm"
)

// FuzzPlain: what is taken to need no folding is changed by none.
func FuzzPlain(f *testing.F) {
	for _, s := range []string{"", "plain text", "한글 문서", "가\u11a8", "각", "\uabff", "\ud7a4", "\xed\x9e", "\xea\xb0\x41", "ｆｕｌｌ", "é", "가\u0301", "힣", "가\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if isPlain(s) && foldWidth(norm.NFC.String(s)) != s {
			t.Errorf("%q is folded to %q", s, foldWidth(norm.NFC.String(s)))
		}
	})
}
