package autonomous_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/agent/autonomous"
	"maru/agent/workflow"
)

// TestTheGuidesExampleIsWithoutFault checks the definition in
// docs/adding-a-node.md.
func TestTheGuidesExampleIsWithoutFault(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "adding-a-node.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(guide), "```json\n")
	text, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the guide has no example")
	}
	types, schema := autonomous.Types()
	if problems := workflow.Check(parse(t, text), types, schema, nil); len(problems) > 0 {
		t.Error(problems)
	}
}
