package autonomous_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"maru/agent"
	"maru/agent/autonomous"
	"maru/agent/catalog"
	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/logtest"
)

// TestStoredWorkflowsWithWrongTypesGoOn: a workflow that is stored already runs as before types were checked, also one that another
// runs: its condition counts as false. It is warned of, and is an error for whoever writes it again.
func TestStoredWorkflowsWithWrongTypesGoOn(t *testing.T) {
	t.Parallel()
	types, schema, err := catalog.TeamTypes()
	if err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{`difficulty == 3`, `is_complete == \"true\"`, `todos`, `iteration == \"0\"`, `todos > 3`, `len(todos)`, `not error`} {
		text := flow("t", `{"id":"c","node_type":"conditional","config":{"when":"`+when+`"}},
			{"id":"yes","node_type":"set_state","config":{"set":{"final_answer":"yes"}}},{"id":"no","node_type":"set_state","config":{"set":{"final_answer":"no"}}}`,
			`{"source":"start","target":"c"},{"source":"c","target":"yes","source_port":"true"},{"source":"c","target":"no","source_port":"false"},{"source":"yes","target":"end"},{"source":"no","target":"end"}`)
		outer := line("outer", `{"id":"n","node_type":"sub_workflow","config":{"workflow":"t","output":"final_answer"}}`)
		var log logtest.Log
		f, err := autonomous.Open(autonomous.Config{Runtime: graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()}), Log: log.Logger()}, t.TempDir(),
			func(context.Context) (map[string][]byte, error) {
				return map[string][]byte{"saved/t.json": []byte(text), "saved/outer.json": []byte(outer)}, nil
			})
		if err != nil {
			t.Fatal(err)
		}
		runner := agent.NewRunner(nil, 0, time.Now)
		runner.Extend(f)
		for _, name := range []string{"t", "outer"} {
			res, _, err := runner.Run(t.Context(), agent.Request{Run: name, Thread: name, Agent: name, Text: "q"}, nil)
			if err != nil || res.Text != "no" {
				t.Errorf("%s, %s: %q, %v, faults %v", when, name, res.Text, err, f.Faults())
			}
		}
		if !strings.Contains(log.String(), "workflow warning") {
			t.Errorf("%s: no warning: %s", when, log.String())
		}
		find := func(string) (workflow.Definition, bool) { return parse(t, text), true }
		if found := workflow.Check(parse(t, text), types, schema, nil); found.Err() == nil || !strings.Contains(found.Error(), "/nodes/1/config/when") {
			t.Errorf("%s: written anew: %v", when, found)
		}
		if found := workflow.Check(parse(t, outer), types, schema, find); found.Err() != nil || !slices.ContainsFunc(found, func(p workflow.Problem) bool { return p.Warning }) {
			t.Errorf("%s: of the workflow that runs it: %v", when, found)
		}
	}
}
