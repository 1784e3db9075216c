package contract_test

import (
	"os"
	"path/filepath"
	"testing"

	"maru/agent/contract"
	"maru/agent/workflow"
)

// TestDefinitionIsWithoutFaultAndDrawn compares the flow with its drawing;
// MARU_UPDATE=1 writes it.
func TestDefinitionIsWithoutFaultAndDrawn(t *testing.T) {
	t.Parallel()
	d, err := contract.Definition()
	if err != nil {
		t.Fatal(err)
	}
	types, schema, err := contract.Types()
	if err != nil {
		t.Fatal(err)
	}
	if found := workflow.Check(d, types, schema, nil); len(found) > 0 {
		t.Error(found)
	}
	file := filepath.Join("testdata", "contract.mmd")
	if os.Getenv("MARU_UPDATE") != "" {
		if err := os.WriteFile(file, []byte(workflow.Mermaid(d)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || workflow.Mermaid(d) != string(want) {
		t.Errorf("%s is not current (%v); MARU_UPDATE=1 writes it", file, err)
	}
}
