package autonomous

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/graph"
	"maru/agent/workflow"
	"maru/agent/workflow/node"
)

type shoutConfig struct {
	Marks int `json:"marks"`
}

func (k kit) shout() workflow.Type {
	return workflow.Define(workflow.Type{
		Name: "shout", Summary: "Writes the last output in capitals.",
		Reads: []string{"last_output"}, Writes: []string{"last_output"},
		Config: json.RawMessage(`{"type":"object","properties":{"marks":{"type":"integer","minimum":0}},"additionalProperties":false}`),
	}, func(ctx context.Context, s graph.State, x *workflow.Exec, c shoutConfig) ([]graph.Write, error) {
		text, _ := k.st.LastOutput.Get(s).(string)
		return []graph.Write{k.st.LastOutput.Set(strings.ToUpper(text) + strings.Repeat("!", c.Marks))}, nil
	}, nil)
}

// TestLeast: the node type of docs/adding-a-node.md is one of a workflow, and its config is checked.
func TestLeast(t *testing.T) {
	t.Parallel()
	st := node.NewState()
	types := workflow.NewRegistry(append(node.Types(), kit{st: st}.shout())...).Answering(st.Answers()...)
	for config, fault := range map[string]string{`{"marks": 2}`: "", `{"marks": -1}`: "marks", `{"mark": 1}`: "mark"} {
		d, err := workflow.Parse([]byte(`{"id":"loud","name":"Loud","version":"1","nodes":[
			{"id":"start","node_type":"start"},
			{"id":"say","node_type":"set_state","config":{"set":{"last_output":"{{input}}"}}},
			{"id":"loud","node_type":"shout","config":` + config + `},
			{"id":"end","node_type":"end"}],
			"edges":[{"source":"start","target":"say"},{"source":"say","target":"loud"},{"source":"loud","target":"end"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		problems := workflow.Check(d, types, st.Schema, nil)
		if fault == "" && len(problems) > 0 || fault != "" && (len(problems) == 0 || !strings.Contains(problems[0].String(), fault)) {
			t.Errorf("%s: %v", config, problems)
		}
	}
}
