package tool_test

import (
	"context"
	"testing"

	"maru/agent"
	"maru/agent/tool"
)

// pointing keeps a pointer and reveals what it points at.
type pointing struct{}

func (pointing) Spec() tool.Spec {
	return tool.Reader("pointing", "tool.broken", "points", `{"type":"object"}`)
}
func (pointing) Call(context.Context, tool.Call) (tool.Result, error) {
	return tool.Result{Text: "there"}, nil
}
func (pointing) Reveal(_ context.Context, _ tool.Call, kept string) string { return kept + ": words" }

// TestRevealIsTheToolsOwn: only a tool that keeps pointers is asked, and not where it may not be used.
func TestRevealIsTheToolsOwn(t *testing.T) {
	t.Parallel()
	r, err := tool.NewRegistry(pointing{}, greeter{})
	if err != nil {
		t.Fatal(err)
	}
	call := tool.Call{}
	if got := r.Reveal(t.Context(), "pointing", call, "there"); got != "there: words" || !r.Reveals("pointing") {
		t.Errorf("revealed %q", got)
	}
	call.Scopes = []string{agent.Without("pointing")}
	if got := r.Reveal(t.Context(), "pointing", call, "there"); got != "there" {
		t.Errorf("where it is switched off: %q", got)
	}
	for _, name := range []string{"greeter", "nothing"} {
		if got := r.Reveal(t.Context(), name, tool.Call{}, "there"); got != "there" || r.Reveals(name) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// greeter keeps its results whole.
type greeter struct{}

func (greeter) Spec() tool.Spec {
	return tool.Reader("greeter", "tool.broken", "greets", `{"type":"object"}`)
}
func (greeter) Call(context.Context, tool.Call) (tool.Result, error) {
	return tool.Result{Text: "hello"}, nil
}
