package schema_test

import (
	"encoding/json"
	"errors"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/openai/schema"
)

// TestToolsTakeTheirPlace: tools that changed are encoded again, and a text that looks like the place of the list stays.
func TestToolsTakeTheirPlace(t *testing.T) {
	t.Parallel()
	var tools schema.Tools
	for _, want := range []string{"looks up", "looks <up> & down"} {
		list := tools.Of([]llm.Tool{{Name: "find", Description: want, Parameters: []byte(`{"type":"object","properties":{"q":{}}}`)}, {Name: "bare"}}, false)
		said := `x "tools":[{"type":"function"}] y`
		body, err := json.Marshal(map[string]any{"messages": []any{map[string]string{"role": ""}}, "said": said, "tools": []any{map[string]string{"type": "function"}}, "z": 1})
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Messages []struct{ Role, Content string }
			Said     string
			Tools    []struct {
				Type     string `json:"type"`
				Function struct {
					Name        string          `json:"name"`
					Description string          `json:"description"`
					Parameters  json.RawMessage `json:"parameters"`
				} `json:"function"`
			} `json:"tools"`
			Z int `json:"z"`
		}
		words := "two\nlines, \"quoted\", <b> & 한글 \u2028"
		system, err1 := schema.Message("system", words)
		user, err2 := schema.Message("user", "")
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		body = schema.WithLists(body, schema.List{Member: "messages", Placeholder: `{"role":""}`, Items: [][]byte{system, user}},
			schema.List{Member: "tools", Placeholder: `{"type":"function"}`, Items: list})
		if err := json.Unmarshal(body, &got); err != nil {
			t.Fatal(err)
		}
		if m := got.Messages; len(m) != 2 || m[0].Role != "system" || m[0].Content != words || m[1].Role != "user" || m[1].Content != "" {
			t.Errorf("%q", m)
		}
		if got.Said != said || got.Z != 1 || len(got.Tools) != 2 {
			t.Fatalf("%+v", got)
		}
		one, other := got.Tools[0], got.Tools[1]
		if one.Type != "function" || one.Function.Name != "find" || one.Function.Description != want || string(one.Function.Parameters) != `{"type":"object","properties":{"q":{}}}` {
			t.Errorf("%+v", one)
		}
		if other.Function.Name != "bare" || string(other.Function.Parameters) != `{"type":"object","properties":{}}` {
			t.Errorf("%+v", other)
		}
	}
}

// TestKnownToolsAreNotEncodedAgain counts the memory for tools that every request has. Not parallel: others would count.
func TestKnownToolsAreNotEncodedAgain(t *testing.T) {
	var tools schema.Tools
	list := []llm.Tool{{Name: "find", Description: "looks up", Parameters: []byte(`{"type":"object","properties":{"q":{"type":"string"}}}`)}, {Name: "bare"}}
	tools.Of(list, false)
	if n := testing.AllocsPerRun(100, func() { tools.Of(list, false) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
