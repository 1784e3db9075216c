package autonomous_test

import (
	"testing"
	"testing/synctest"
	"time"

	"maru/agent/llm/llmtest"
	"maru/agent/tool"
)

// TestRunsWaitForTheToolsThatTheyUse and for no others: one server is late and
// never comes.
func TestRunsWaitForTheToolsThatTheyUse(t *testing.T) {
	t.Parallel()
	const (
		says   = `{"id":"n","node_type":"llm_call","config":{"prompt":"{{input}}"}}`
		calls  = `{"id":"n","node_type":"tool_call","config":{"tool":"look"}}`
		absent = `{"id":"n","node_type":"tool_call","config":{"tool":"shop_find"}}`
		sub    = `{"id":"n","node_type":"sub_workflow","config":{"workflow":"other"}}`
	)
	for name, c := range map[string]struct {
		node, other string
		want        time.Duration
	}{
		"calls_none":              {says, says, 0},
		"calls_one_that_is_there": {calls, says, 0},
		"calls_one_that_is_late":  {absent, says, 5 * time.Second},
		"sub_calls_none":          {sub, says, 0},
		"sub_calls_a_late_one":    {sub, absent, 5 * time.Second},
		"any":                     {`{"id":"n","node_type":"direct_answer"}`, says, 5 * time.Second},
		"any_is_switched_off":     {`{"id":"n","node_type":"direct_answer","config":{"tools":false}}`, says, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				tools, err := tool.NewRegistry(&probe{spec: tool.Spec{Name: "look", Policy: tool.Policy{ReadOnly: true}}})
				if err != nil {
					t.Fatal(err)
				}
				tools.Filling()
				d := newDesk(t, llmtest.Script(llmtest.Text("said")))
				d.cfg.Tools = tools
				d.team(line("t", c.node), line("other", c.other))
				began := time.Now()
				d.must("hi")
				if took := time.Since(began); took != c.want {
					t.Errorf("it waited %s, want %s", took, c.want)
				}
			})
		})
	}
}
