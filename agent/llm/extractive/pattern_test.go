package extractive

import "testing"

// TestPatternsCompile compiles what is otherwise compiled when it is first asked.
func TestPatternsCompile(t *testing.T) {
	t.Parallel()
	if len(patterns) < 50 {
		t.Fatalf("only %d patterns", len(patterns))
	}
	for _, p := range patterns {
		p()
	}
}
