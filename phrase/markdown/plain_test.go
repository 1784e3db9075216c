package markdown_test

import (
	"testing"

	"maru/phrase/markdown"
)

// TestPlainLinesLoseNothing: text without markup keeps the header of a table and the indentation of code.
func TestPlainLinesLoseNothing(t *testing.T) {
	t.Parallel()
	for md, want := range map[string]string{
		"| account | amount in 1,000 KRW |\n|---|---|\n| 110-222 | 50 |": "account │ amount in 1,000 KRW\n────────┼────────────────────\n110-222 │ 50",
		"| only | header |\n|---|---|":                                   "only │ header",
		"```\n    if x:\n        y\n```":                                 "    if x:\n        y",
		"a\n\n| b | c |\n|---|---|\n| 1 | 2 |\n\n- d\n\n      e":         "a\n\nb │ c\n──┼──\n1 │ 2\n\n- d\n\n  e",
	} {
		if got := markdown.PlainLines(markdown.Terminal().Lines(md, nil)); got != want {
			t.Errorf("%q is %q, want %q", md, got, want)
		}
	}
}
