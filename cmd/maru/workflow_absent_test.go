package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWorkflowValidateFindsAbsentValues: an expression that fails because nothing has written what it
// reads is found before the workflow runs, with the place and the way to write it; one that bears the
// absence is not.
func TestWorkflowValidateFindsAbsentValues(t *testing.T) {
	t.Parallel()
	const definition = `{"name": "Draft until it is approved", "nodes": [
  {"id": "start", "node_type": "start"},
  {"id": "mark", "node_type": "set_state", "config": {"set": {"metadata.kind": "note"}}},
  {"id": "draft", "node_type": "llm_call", "config": {"prompt": "Write. {{EXPRESSION}}"}},
  {"id": "ok", "node_type": "human_approval", "config": {"question": "Good?"}},
  {"id": "end", "node_type": "end"}],
 "edges": [{"source": "start", "target": "mark"}, {"source": "mark", "target": "draft"}, {"source": "draft", "target": "ok"},
  {"source": "ok", "source_port": "rejected", "target": "draft"}, {"source": "ok", "source_port": "approved", "target": "end"},
  {"source": "ok", "source_port": "expired", "target": "end"}], "max_iterations": 9}`
	for expression, want := range map[string]string{
		`metadata.approval_ok.comment ?? \"\"`:                                "absent.json:4:65: node “draft” (/nodes/2/config/prompt): expression \"metadata.approval_ok.comment ?? \\\"\\\"\" fails: metadata.approval_ok is absent when \"draft\" runs first (write metadata.approval_ok?.comment)",
		`metadata.approval_ok.comment`:                                        "metadata.approval_ok is absent",
		`metadata.nobody.writes`:                                              "metadata.nobody is absent",
		`metadata.approval_ok?.comment ?? \"\"`:                               "",
		`metadata.approval_ok == nil ? \"\" : metadata.approval_ok.comment`:   "",
		`metadata.approval_ok != nil && metadata.approval_ok.comment != \"\"`: "",
		`metadata.kind + \"!\"`:                                               "",
		`len(messages) > 0 ? messages[0].content : \"\"`:                      "",
		`input`: "",
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "absent.json")
			must(t, "write", os.WriteFile(file, []byte(strings.Replace(definition, "EXPRESSION", expression, 1)), 0o600))
			code, out, errs := runHere(t, "", nil, "workflow", "validate", file)
			said := out + errs
			if absent := strings.Contains(said, "absent.json:4:"); absent != (want != "") || !strings.Contains(said, want) || (code != 0) != (want != "") {
				t.Errorf("exit %d: %s", code, said)
			}
		})
	}
}

// TestWorkflowValidateWarnsOfItems: outside a map there is no item, but a workflow may be one that runs for each item of another's map.
func TestWorkflowValidateWarnsOfItems(t *testing.T) {
	t.Parallel()
	const definition = `{"name": "Each", "nodes": [
  {"id": "start", "node_type": "start"},
  {"id": "list", "node_type": "map", "config": {"over": "split(input, \",\")"}},
  {"id": "each", "node_type": "llm_call", "config": {"prompt": "Tell of {{item.name}}, number {{index + 1}} of {{count + 0}}."}},
  {"id": "all", "node_type": "join", "config": {"output": "metadata.all"}},
  {"id": "say", "node_type": "set_state", "config": {"set": {"final_answer": "EXPRESSION"}}},
  {"id": "end", "node_type": "end"}],
 "edges": [{"source": "start", "target": "list"}, {"source": "list", "source_port": "each", "target": "each"}, {"source": "list", "source_port": "empty", "target": "say"},
  {"source": "each", "target": "all"}, {"source": "all", "target": "say"}, {"source": "say", "target": "end"}]}`
	for expression, warned := range map[string]bool{
		"{{item.name}}": true, "{{index + 1}}": true, "{{upper(item)}}": true, "{{item?.name ?? input}}": false, "{{item != nil ? item.name : input}}": false, "{{input}}": false,
	} {
		t.Run(expression, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "each.json")
			must(t, "write", os.WriteFile(file, []byte(strings.Replace(definition, "EXPRESSION", expression, 1)), 0o600))
			code, out, errs := runHere(t, "", nil, "workflow", "validate", file)
			said := out + errs
			if code != 0 || strings.Contains(said, "warning") != warned || warned && !strings.Contains(said, "each.json:6:") {
				t.Errorf("exit %d: %s", code, said)
			}
		})
	}
}
