package memory_test

import (
	"testing"

	"maru/memory"
)

// What a summary tells of a message goes, and nothing else.
func TestUnsay(t *testing.T) {
	t.Parallel()
	had := []memory.Summary{{Text: "one", Of: []string{"a", "b"}}, {Text: "two", Of: []string{"c"}}, {Text: "three", Of: []string{"b"}}}
	got, found := memory.Unsay(had, "b")
	if !found || memory.Numbered(got) != "1. two" {
		t.Errorf("%v, the prompt says %q", found, memory.Numbered(got))
	}
	if len(got) != 3 || len(got[0].Of) != 2 {
		t.Errorf("what they stand for is lost: %+v", got)
	}
	if had[0].Text != "one" {
		t.Error("the summaries that were given are changed")
	}
	for _, id := range []string{"b", "x"} { // again, and one that is in none
		if again, found := memory.Unsay(got, id); found || memory.Numbered(again) != "1. two" {
			t.Errorf("%s: %v, the prompt says %q", id, found, memory.Numbered(again))
		}
	}
}
