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
	for _, g := range slices.Concat(Groups(), Translations()) {
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

// TestAnother: each noun of another thing begins like a word of the lists, and is none of them.
func TestAnother(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	for _, g := range slices.Concat(Groups(), Translations()) {
		for i := range g.Same {
			for _, key := range g.Keys(i) {
				keys[key] = true
			}
		}
	}
	for noun := range anothers() {
		begins := false
		for n := range noun {
			begins = begins || keys[noun[:n]]
		}
		if !begins || keys[noun] {
			t.Errorf("%s begins like a word of the lists: %v; is one: %v", noun, begins, keys[noun])
		}
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	g, err := Read("# remark\n\n A b, c > D ,e\n")
	if err != nil || len(g) != 1 || !slices.Equal(g[0].Same, []string{"a b", "c"}) || !slices.Equal(g[0].Wider, []string{"d", "e"}) {
		t.Errorf("%q, %v", g, err)
	}
	for _, bad := range []string{"alone", "> wider", ",", "a, b > c > d", "a, a", "a, -", "a, \xff"} {
		if _, err := Read(bad); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: %v, want to be told the line", bad, err)
		}
	}
}

// TestFaults: every faulty line is named, ten at most.
func TestFaults(t *testing.T) {
	t.Parallel()
	_, err := Read("a, b\nalone\n# x\nc, c\n")
	if err == nil || !strings.Contains(err.Error(), "line 2:") || !strings.Contains(err.Error(), "line 4:") || strings.Contains(err.Error(), "line 1:") {
		t.Errorf("%v", err)
	}
	if _, err := Read(strings.Repeat("alone\n", 50)); strings.Count(err.Error(), "line ") != 10 {
		t.Errorf("%v", err)
	}
}
