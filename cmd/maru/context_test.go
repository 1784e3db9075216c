package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestContextsCarryNoBehaviour: what a function does is in its arguments and fields. A
// context may carry the session of an HTTP request, who hears what was used, and the HTTP client of x/oauth2.
func TestContextsCarryNoBehaviour(t *testing.T) {
	t.Parallel()
	allowed := []string{"adapters/web/guard.go", "agent/llm/listen.go", "agent/tool/mcp/grant/token.go"}
	var found []string
	root := filepath.Join("..", "..")
	for file := range productImports(t, root) {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "context.WithValue(") {
			found = append(found, file)
		}
	}
	if slices.Sort(found); !slices.Equal(found, allowed) {
		t.Errorf("context values are set in %v, want %v", found, allowed)
	}
}
