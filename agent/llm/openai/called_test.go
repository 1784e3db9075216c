package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/llm"
)

// TestCallsAsProxiesWriteThem: the name is that of the tool that was offered, and the arguments
// have the form of its schema, whatever a proxy or a template made of them.
func TestCallsAsProxiesWriteThem(t *testing.T) {
	t.Parallel()
	tools := []llm.Tool{
		{Name: "calculator", Parameters: json.RawMessage(`{"type":"object","properties":{"expression":{"type":"string"}},"required":["expression"]}`)},
		{Name: "find_tickets", Parameters: json.RawMessage(`{"type":"object","properties":{"limit":{"type":"integer"},"product":{"type":"string"},"filter":{"type":"object"}},"required":["product"]}`)},
	}
	const one = `{"expression":"12*34"}`
	for name, tt := range map[string]struct {
		name   string
		pieces []string // of the arguments
		want   string   // names and arguments
	}{
		"as it should be":       {"calculator", []string{`{"expression":`, `"12*34"}`}, "calculator" + one},
		"an empty one before":   {"calculator", []string{`{}`, `{"expression":`, `"12*34"}`}, "calculator" + one},
		"JSON within JSON":      {"calculator", []string{`"{\"expression\":\"12*34\"}"`}, "calculator" + one},
		"twice within":          {"calculator", []string{`"\"{\\\"expression\\\":\\\"12*34\\\"}\""`}, "calculator" + one},
		"several in one":        {"calculator", []string{one + `{"expression":"5*7"}`}, "calculator" + one + ` calculator{"expression":"5*7"}`},
		"the same again":        {"calculator", []string{one + "\n" + one}, "calculator" + one},
		"a list of them":        {"calculator", []string{"[" + one + "]"}, "calculator" + one},
		"a list of values":      {"calculator", []string{`["12*34"]`}, "calculator" + one},
		"a value alone":         {"calculator", []string{`"12*34"`}, "calculator" + one},
		"required first":        {"find_tickets", []string{`["Hangar", 3]`}, `find_tickets{"limit":3,"product":"Hangar"}`},
		"as Python":             {"calculator", []string{`{'expression': '12*34',}`}, "calculator" + one},
		"within arguments":      {"calculator", []string{`{"arguments":` + one + `}`}, "calculator" + one},
		"the call as arguments": {"calculator", []string{`{"name":"calculator","arguments":` + one + `}`}, "calculator" + one},
		"words of the schema":   {"calculator", []string{`{"expression":{"type":"string","value":"12*34"}}`}, "calculator" + one},
		"an object as value":    {"find_tickets", []string{`{"product":"a","filter":{"type":"x","value":1}}`}, `find_tickets{"product":"a","filter":{"type":"x","value":1}}`},
		"a namespace":           {"functions.calculator", []string{one}, "calculator" + one},
		"another namespace":     {"default_api:calculator", []string{one}, "calculator" + one},
		"a path":                {"tools/find_tickets", []string{`{"product":"a"}`}, `find_tickets{"product":"a"}`},
		"a mark behind":         {"calculator<|channel|>commentary", []string{one}, "calculator" + one},
		"other letters":         {"Calculator", []string{one}, "calculator" + one},
		"no such tool":          {"browser.open", []string{one}, "browser.open" + one},
		"two that it may be":    {"calculator.find_tickets", []string{one}, "calculator.find_tickets" + one},
		"one that breaks off":   {"calculator", []string{`{"expression":"12*3`}, `calculator"{\"expression\":\"12*3"`},
		"broken within JSON":    {"calculator", []string{`"{\"expression\":\"12*3"`}, `calculator"{\"expression\":\"12*3"`},
		"one and a half":        {"calculator", []string{one + `{"expre`}, `calculator"{\"expression\":\"12*34\"}{\"expre"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var data []string
			for i, p := range tt.pieces {
				f := map[string]any{"arguments": p}
				call := map[string]any{"index": 0, "function": f}
				if i == 0 {
					call["id"], f["name"] = "call_1", tt.name
				}
				b, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"tool_calls": []any{call}}}}})
				if err != nil {
					t.Fatal(err)
				}
				data = append(data, string(b))
			}
			m, _ := replies(t, stream, events(append(data, `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]")...))
			req := ask("What is 12*34?")
			req.Tools = tools
			resp, err := m.Generate(t.Context(), req, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			ids := map[string]bool{}
			for _, c := range resp.Message.ToolCalls {
				got, ids[c.ID] = append(got, c.Name+string(c.Arguments)), true
			}
			if strings.Join(got, " ") != tt.want || len(ids) != len(got) {
				t.Errorf("%v with ids %v, want %s", got, ids, tt.want)
			}
		})
	}
}
