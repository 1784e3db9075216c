package orchestrator_test

import (
	"os"
	"path/filepath"
	"testing"

	"maru/agent/orchestrator"
	"maru/agent/workflow"
)

// golden compares what is generated with the file that holds it; MARU_UPDATE=1
// writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if os.Getenv("MARU_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is not current; MARU_UPDATE=1 writes it", file)
	}
}

func TestDefinitionIsDrawn(t *testing.T) {
	t.Parallel()
	d, err := orchestrator.Definition()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, filepath.Join("testdata", "orchestrator.mmd"), workflow.Mermaid(d))
	golden(t, filepath.Join("testdata", "orchestrator.svg"), workflow.SVG(d))
}

func TestDefinitionIsWithoutFault(t *testing.T) {
	t.Parallel()
	types, schema := orchestrator.Types()
	d, err := orchestrator.Definition()
	if err != nil {
		t.Fatal(err)
	}
	if found := workflow.Check(d, types, schema, nil); len(found) > 0 {
		t.Error(found)
	}
}
