package openai_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/openai"
)

// TestMembersOfAServerGoBack: what a server puts into a message and its calls goes back to it as
// it came, to the model that wrote it and to no other, nor to another endpoint.
func TestMembersOfAServerGoBack(t *testing.T) {
	t.Parallel()
	const call = `"id":"call_1","type":"function","function":{"name":"calculator","arguments":"{}"}`
	for name, tt := range map[string]struct {
		kind, body    string
		message, call string // the members that go back
	}{
		"Gemini's signature": {stream, events(`{"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,` + call + `,"extra_content":{"google":{"thought_signature":"c2ln"}}}]},"finish_reason":"tool_calls"}]}`),
			`{}`, `{"extra_content":{"google":{"thought_signature":"c2ln"}}}`},
		"a signature in another chunk": {stream, events(`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,`+call+`}]}}]}`, `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"extra_content":{"google":{"thought_signature":"c2ln"}}}]},"finish_reason":"tool_calls"}]}`),
			`{}`, `{"extra_content":{"google":{"thought_signature":"c2ln"}}}`},
		"DeepSeek's thoughts": {stream, events(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"I need the "}}]}`, `{"choices":[{"index":0,"delta":{"reasoning_content":"the calculator."}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,`+call+`}]},"finish_reason":"tool_calls"}]}`),
			`{"reasoning_content":"I need the the calculator."}`, `{}`},
		"OpenRouter's details": {stream, events(`{"choices":[{"index":0,"delta":{"reasoning":"So","reasoning_details":[{"type":"reasoning.text","text":"So","index":0,"format":"anthropic"}]}}]}`,
			`{"choices":[{"index":0,"delta":{"reasoning":" be it","reasoning_details":[{"type":"reasoning.text","text":" be it","index":0}]}}]}`,
			`{"choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.text","signature":"c2ln","index":0},{"type":"reasoning.encrypted","data":"eHk=","index":1}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,`+call+`}]},"finish_reason":"tool_calls"}]}`),
			`{"reasoning":"So be it","reasoning_details":[{"type":"reasoning.text","text":"So be it","index":0,"format":"anthropic","signature":"c2ln"},{"type":"reasoning.encrypted","data":"eHk=","index":1}]}`, `{}`},
		"in one piece": {piece, `{"choices":[{"index":0,"message":{"role":"assistant","content":"","thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"c2ln"}],"tool_calls":[{` + call + `,"provider_specific_fields":{"n":12345678901234567890}}]},"finish_reason":"tool_calls"}]}`,
			`{"thinking_blocks":[{"type":"thinking","thinking":"hm","signature":"c2ln"}]}`, `{"provider_specific_fields":{"n":12345678901234567890}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var last struct {
				Messages []map[string]json.RawMessage
			}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				last.Messages = nil
				if err := json.NewDecoder(r.Body).Decode(&last); err != nil {
					t.Error(err)
				}
				w.Header().Set("Content-Type", tt.kind)
				_, _ = io.WriteString(w, tt.body)
			}))
			defer srv.Close()
			model := func(name, path string) *openai.Model {
				m, err := openai.New(openai.Config{BaseURL: srv.URL + path, Model: name})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(m.Close)
				return m
			}
			req := ask("?")
			req.Tools = []llm.Tool{{Name: "calculator"}}
			resp, err := model("one", "/v1").Generate(t.Context(), req, nil)
			if err != nil || len(resp.Message.ToolCalls) != 1 {
				t.Fatalf("%s, %v", show(resp), err)
			}
			stored, err := json.Marshal(resp.Message) // as a record keeps it
			if err != nil {
				t.Fatal(err)
			}
			var again llm.Message
			if err := json.Unmarshal(stored, &again); err != nil {
				t.Fatal(err)
			}
			req.Messages = append(req.Messages, again, llm.Message{Role: llm.ToolRole, ToolCallID: "call_1", Content: "408"})
			for _, to := range []struct {
				model, path string
				same        bool
			}{{"one", "/v1", true}, {"two", "/v1", false}, {"one", "/v2", false}} {
				if _, err := model(to.model, to.path).Generate(t.Context(), req, nil); err != nil {
					t.Fatal(err)
				}
				m := last.Messages[len(last.Messages)-2]
				var calls []map[string]json.RawMessage
				if err := json.Unmarshal(m["tool_calls"], &calls); err != nil || len(calls) != 1 || string(calls[0]["type"]) != `"function"` {
					t.Fatalf("the model read %s", m["tool_calls"])
				}
				wantM, wantC := tt.message, tt.call
				if !to.same {
					wantM, wantC = "{}", "{}"
				}
				without(t, m, wantM, "role", "content", "tool_calls")
				without(t, calls[0], wantC, "id", "type", "function")
			}
		})
	}
}

// without compares the members of an object that are not named with those of want.
func without(t *testing.T, got map[string]json.RawMessage, want string, names ...string) {
	t.Helper()
	for _, n := range names {
		delete(got, n)
	}
	raw, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var a, b any
	if json.Unmarshal(raw, &a) != nil || json.Unmarshal([]byte(want), &b) != nil || !reflect.DeepEqual(a, b) {
		t.Errorf("went back: %s, want %s", raw, want)
	}
}
