package lexicon

import (
	"slices"
	"strings"
	"testing"
)

// TestGroups: the lists are well formed, and no group says a word twice.
func TestGroups(t *testing.T) {
	t.Parallel()
	if n := len(Groups()); n < 200 {
		t.Fatalf("%d groups", n)
	}
	for _, g := range Groups() {
		all := slices.Concat(g.Same, g.Wider)
		slices.Sort(all)
		if len(slices.Compact(slices.Clone(all))) != len(all) {
			t.Errorf("a word stands twice in %q", all)
		}
		for _, w := range all {
			if len(strings.Fields(w)) > 4 {
				t.Errorf("%q is a sentence", w)
			}
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	g, err := read("# remark\n\n A b, c > D ,e\n")
	if err != nil || len(g) != 1 || !slices.Equal(g[0].Same, []string{"a b", "c"}) || !slices.Equal(g[0].Wider, []string{"d", "e"}) {
		t.Errorf("%q, %v", g, err)
	}
	for _, bad := range []string{"alone", "> wider", ","} {
		if _, err := read(bad); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: %v, want to be told the line", bad, err)
		}
	}
}
