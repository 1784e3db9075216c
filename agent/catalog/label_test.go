package catalog_test

import (
	"strings"
	"testing"

	"maru/agent/catalog"
	"maru/agent/workflow"
	"maru/phrase"
)

// TestLabelled: every node of the built-in agents has a name in each language, and the English one is that of the
// definition. What a team wrote stays.
func TestLabelled(t *testing.T) {
	t.Parallel()
	latin := func(s string) bool { return strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz") }
	for _, b := range catalog.Builtin() {
		english, korean := catalog.Labelled(b.Definition, "en"), catalog.Labelled(b.Definition, "ko")
		for i, n := range b.Nodes {
			if want := n.Label; want != "" && english.Nodes[i].Label != want {
				t.Errorf("%s.%s: %q, want %q", b.ID, n.ID, english.Nodes[i].Label, want)
			}
			if got := korean.Nodes[i].Label; got == "" || latin(got) {
				t.Errorf("%s.%s: %q in Korean", b.ID, n.ID, got)
			}
		}
		key := "drawing." + b.ID + "."
		for _, n := range b.Nodes {
			if n.Label != "" && phrase.Say(phrase.Fallback, key+n.ID) != n.Label {
				t.Errorf("%s%s is not the label %q", key, n.ID, n.Label)
			}
		}
	}
	own := workflow.Definition{ID: "chat", Nodes: []workflow.Node{
		{ID: "start", Type: workflow.TypeStart}, {ID: "router", Label: "Which team?"}, {ID: "finish", Type: workflow.TypeEnd}, {ID: "end", Type: workflow.TypeEnd, Label: "Done"},
	}}
	got := catalog.Labelled(own, "ko")
	for i, want := range []string{"시작", "Which team?", "", "Done"} {
		if got.Nodes[i].Label != want {
			t.Errorf("%s: %q, want %q", own.Nodes[i].ID, got.Nodes[i].Label, want)
		}
	}
	if own.Nodes[0].Label != "" {
		t.Error("the definition itself was changed")
	}
}
