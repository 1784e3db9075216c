package schema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm/openai/schema"
)

// TestPlainIsBounded makes schemas plain that lead back to themselves in many ways, or nest deeply: short enough for a prompt.
func TestPlainIsBounded(t *testing.T) {
	t.Parallel()
	var loops strings.Builder
	for i := range 40 {
		fmt.Fprintf(&loops, `,"p%d":{"$ref":"#/$defs/n%d"}`, i, i%7)
	}
	var defs []string
	for i := range 7 {
		defs = append(defs, fmt.Sprintf(`"n%d":{"type":"object","properties":{"x":{}%s}}`, i, loops.String()))
	}
	deep := strings.Repeat(`{"anyOf":[{"type":"null"},`, 300) + `{"type":"string"}` + strings.Repeat(`]}`, 300)
	wide := `{"type":"object","properties":{"a":{"anyOf":[` + strings.Repeat(strings.Repeat(`{"anyOf":[`, 6)+`{"type":"null"}`+strings.Repeat(`]},`, 6), 50) + `{"type":"null"}]}}}`
	for name, raw := range map[string]string{
		"loops": `{"type":"object","properties":{"a":{"$ref":"#/$defs/n0"}},"$defs":{` + strings.Join(defs, ",") + `}}`,
		"deep":  `{"type":"object","properties":{"a":` + deep + `}}`,
		"wide":  wide,
		"none":  `{"$ref":"#/$defs/none"}`,
		"self":  `{"$ref":"#"}`,
		"kinds": `{"type":7,"properties":{"a":{"type":{},"enum":"x","items":[{"type":"string"}],"properties":[],"required":"a"}}}`,
	} {
		out := schema.Plain(json.RawMessage(raw))
		var v struct {
			Type       string         `json:"type"`
			Properties map[string]any `json:"properties"`
		}
		if err := json.Unmarshal(out, &v); err != nil || v.Type != "object" || v.Properties == nil || len(out) > 100_000 {
			t.Errorf("%s: %d bytes, %v: %.300s", name, len(out), err, out)
		}
	}
}
