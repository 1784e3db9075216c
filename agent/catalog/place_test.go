package catalog_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/catalog"
	"maru/agent/workflow"
)

// TestArgumentsThatAToolDoesNotTakeAreFound: a call that the tool would refuse is found before a run comes to it.
func TestArgumentsThatAToolDoesNotTakeAreFound(t *testing.T) {
	t.Parallel()
	known := map[string]json.RawMessage{
		"calculator": json.RawMessage(`{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"],"additionalProperties":false}`),
		"weather":    nil,
		"today":      json.RawMessage(`{"type":"object","properties":{}}`),
	}
	for config, want := range map[string][]string{
		`{"tool":"calculator","arguments":{"expression":"{{input}}"}}`:      nil,
		`{"tool":"calculator","arguments":{"expresion":"1"}}`:               {"arguments/expresion", "did you mean expression?", "needs the argument expression"},
		`{"tool":"calculator","arguments":{"expression":"1","places":"2"}}`: {"arguments/places", "it takes: expression"},
		`{"tool":"calculator"}`:                                {"needs the argument expression"},
		`{"tool":"weather","arguments":{"town":"Seoul"}}`:      nil,
		`{"tool":"today","arguments":{"a/b~c":"x"}}`:           {"arguments/a~1b~0c", "it takes no arguments"},
		`{"tool":"crm_find","arguments":{"name":"x"}}`:         nil,
		`{"tool":"calculater","arguments":{"expression":"1"}}`: {"did you mean calculator?"},
	} {
		d := workflow.Definition{ID: "t", Nodes: []workflow.Node{{ID: "call", Type: "tool_call", Config: json.RawMessage(config)}}}
		found := catalog.UnknownTools(d, known, func(tool string) bool { return strings.HasPrefix(tool, "crm_") })
		var said strings.Builder
		for _, p := range found {
			if !p.Warning {
				t.Errorf("%s: not a warning: %s", config, p.In("en"))
			}
			said.WriteString(p.Pointer + " " + p.In("en") + "\n")
		}
		for _, w := range want {
			if !strings.Contains(said.String(), w) {
				t.Errorf("%s: %q lacks %q", config, said.String(), w)
			}
		}
		if want == nil && len(found) > 0 {
			t.Errorf("%s: %q", config, said.String())
		}
	}
}
