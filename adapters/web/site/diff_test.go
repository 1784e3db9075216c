package site

import (
	"strings"
	"testing"
)

// written returns a comparison as text.
func written(lines []DiffLine) string {
	var out []string
	for _, l := range lines {
		if l.Gap {
			out = append(out, "…")
			continue
		}
		out = append(out, l.Sign+l.Text)
	}
	return strings.Join(out, " ")
}

func TestDiff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ a, b, want string }{
		"the_same":             {"a\nb", "a\nb", ""},
		"a_changed_line":       {"a\nb\nc", "a\nx\nc", "a -b +x c"},
		"added":                {"a\nc", "a\nb\nc", "a +b c"},
		"removed_at_the_end":   {"a\nb\n", "a\n", "a -b"},
		"from_nothing":         {"", "a\nb", "- +a +b"},
		"moved":                {"a\nb\nc", "b\nc\na", "-a b c +a"},
		"korean":               {"가\n나", "가\n다", "가 -나 +다"},
		"far_lines_are_left":   {"1\n2\n3\n4\n5\n6\n7\n8\n9", "1\n2\n3\n4\nx\n6\n7\n8\n9", "… 2 3 4 -5 +x 6 7 8 …"},
		"a_last_line_break":    {"a", "a\n", ""},
		"two_changes_in_a_row": {"a\nb\nc\nd", "a\nx\ny\nd", "a -b -c +x +y d"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := written(diff(c.a, c.b)); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestDiffOfLongTexts shows them as replaced instead of comparing every pair of lines.
func TestDiffOfLongTexts(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a\nx\n", 2000), strings.Repeat("b\nx\n", 2000)
	plus, minus := 0, 0
	for _, l := range diff(a, b) {
		switch l.Sign {
		case "+":
			plus++
		case "-":
			minus++
		}
	}
	if plus != 3999 || minus != 3999 {
		t.Errorf("%d lines added, %d removed", plus, minus)
	}
}

// TestOffsetsOfBrowsers: they count UTF-16 units, the server counts bytes.
func TestOffsetsOfBrowsers(t *testing.T) {
	t.Parallel()
	const text = "a가😀b"
	for units, bytes := range map[int]int{-1: 0, 0: 0, 1: 1, 2: 4, 4: 8, 5: 9, 99: 9} {
		if got := bytesIn(text, units); got != bytes {
			t.Errorf("%d units are %d bytes, want %d", units, got, bytes)
		}
	}
	if got := unitsIn(text); got != 5 {
		t.Errorf("%d units", got)
	}
	if got := bytesIn("😀", 1); got != 4 {
		t.Errorf("within a letter: %d", got)
	}
}
