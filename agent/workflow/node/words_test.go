package node

import (
	"strings"
	"testing"

	"maru/agent/graph"
)

// TestTheSameWordsAreKeptOnce, by a short key: long ones are compared with each other at each replay.
func TestTheSameWordsAreKeptOnce(t *testing.T) {
	t.Parallel()
	s := NewState()
	long := strings.Repeat("a", maxGave-1)
	list := []Words{{Gave: Gave{Tool: "t", Text: long + "b"}}, {Gave: Gave{Tool: "t", Text: long + "c"}}, {Gave: Gave{Text: long + "b"}}, {Gave: Gave{Tool: "t", Text: long + "b"}}, {Gave: Gave{Text: long + "b"}, Model: true}}
	if _, err := noted(s.Schema, []graph.Write{}, list...); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, w := range list {
		ids[w.ID] = true
		if len(w.ID) > 32 {
			t.Errorf("a key of %d bytes", len(w.ID))
		}
	}
	if len(ids) != 4 || list[0].ID != list[3].ID {
		t.Errorf("%d of 4 texts are told apart", len(ids))
	}
}
