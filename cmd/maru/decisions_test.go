package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// indexHead stands above the list of the decisions.
const indexHead = `# Decisions

What was decided, what was turned down for it, and what would change our mind: half a page each. One that was given up is
taken out, and the one in its place says so. ` + "`MARU_UPDATE=1 go test ./cmd/maru -run DecisionsHaveAnIndex`" + ` writes this list.

`

// TestDecisionsHaveAnIndex: a line a decision, by its number and title.
func TestDecisionsHaveAnIndex(t *testing.T) {
	t.Parallel()
	folder := filepath.Join("..", "..", "docs", "decisions")
	files, err := filepath.Glob(filepath.Join(folder, "[0-9]*.md"))
	if err != nil {
		t.Fatal(err)
	}
	index, numbers := indexHead, map[string]string{}
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(f)
		number, _, _ := strings.Cut(name, "-")
		if other, taken := numbers[number]; taken {
			t.Errorf("%s and %s have one number", other, name)
		}
		numbers[number] = name
		heading, _, _ := strings.Cut(string(raw), "\n")
		title, ok := strings.CutPrefix(heading, "# "+number+" ")
		if !ok {
			t.Errorf("%s begins with %q, not with its number", name, heading)
		}
		index += fmt.Sprintf("- [%s](%s) %s\n", number, name, title)
	}
	file := filepath.Join(folder, "README.md")
	if os.Getenv("MARU_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(index), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(file); err != nil || string(got) != index {
		t.Errorf("docs/decisions/README.md is not current, %v: MARU_UPDATE=1 writes it", err)
	}
}
