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
	var texts strings.Builder
	for i := range 500 {
		fmt.Fprintf(&texts, `,"t%d":{"$ref":"#/$defs/d"}`, i)
	}
	choices := `"a"`
	for i := range 1000 {
		choices += fmt.Sprintf(`,"choice %d"`, i)
	}
	long := strings.Repeat("long_", 4000)
	for name, raw := range map[string]string{
		"loops": `{"type":"object","properties":{"a":{"$ref":"#/$defs/n0"}},"$defs":{` + strings.Join(defs, ",") + `}}`,
		"deep":  `{"type":"object","properties":{"a":` + deep + `}}`,
		"wide":  wide,
		"texts": `{"type":"object","properties":{"a":{}` + texts.String() + `},"$defs":{"d":{"type":"string","description":"` + strings.Repeat("long ", 10_000) + `"}}}`,
		"enums": `{"type":"object","properties":{"a":{}` + texts.String() + `},"$defs":{"d":{"enum":[` + choices + `]}}}`,
		"names": `{"type":"object","properties":{"a":{}` + texts.String() + `},"$defs":{"d":{"properties":{"` + long + `":{}}}}}`,
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

// TestPlainLeavesOutWholeChoices: a list of choices that is too long for a prompt is left out as a whole, for a part of it would
// forbid what the tool takes. Parameters stay, whatever is said of them.
func TestPlainLeavesOutWholeChoices(t *testing.T) {
	t.Parallel()
	many := `"choice"`
	for i := range 5000 {
		many += fmt.Sprintf(`,"choice %d"`, i)
	}
	out := schema.Plain(json.RawMessage(`{"type":"object","properties":{"many":{"description":"of many","enum":[` + many + `]},"few":{"enum":["b","a"]},"said":{"description":"` +
		strings.Repeat("long ", 10_000) + `"}},"required":["many","said"]}`))
	if want := `{"type":"object","properties":{"many":{"type":"string","description":"of many"},"few":{"type":"string","enum":["b","a"]},"said":{"type":"string"}},"required":["many","said"]}`; string(out) != want {
		t.Errorf("%.500s", out)
	}
}

// TestParametersKeepTheirOrder: a model fills in parameters in the order of the schema, also where it is put together of others.
func TestParametersKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`{"description":"d","type":"object","properties":{"z":{"type":"string"},"a":{}},"anyOf":[{"properties":{"y":{},"b":{},"z":{}}},true,{"properties":{"x":{},"c":{}},"required":["c"]}],"required":["z"]}`: `{"type":"object","properties":{"z":{"type":"string"},"a":{},"y":{},"b":{},"x":{},"c":{}},"description":"d","required":["z"]}`,
		`{"properties":{"z":{},"a":{}}}`:                       `{"type":"object","properties":{"z":{},"a":{}}}`,
		`{"type":"object","oneOf":{"properties":{"a":{}}}}`:    `{"type":"object","properties":{}}`,
		`{"properties":{"b":{},"a":{"type":7,"type":"null"}}}`: `{"type":"object","properties":{"a":{"type":"null"},"b":{}}}`,
		`{"properties":null,"$defs":{}}`:                       `{"type":"object","properties":{},"$defs":{}}`,
		`null`:                                                 `{"type":"object","properties":{}}`, `[{}]`: `{"type":"object","properties":{}}`, `{"type":"object"} x`: `{"type":"object","properties":{}}`,
	} {
		if got := string(schema.Parameters(json.RawMessage(raw))); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", raw, got, want)
		}
	}
}
