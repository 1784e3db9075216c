package openai_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestValuesOfOneTool: what must be called is asked for by the tool's own schema where the endpoint
// honours one, and as a call where it does not, or does not heed it. Nobody sees the values.
func TestValuesOfOneTool(t *testing.T) {
	t.Parallel()
	refuse := fault(llmtest.Fault{Status: http.StatusBadRequest, Message: "response_format is not supported"})
	for name, tt := range map[string]struct {
		answer   func(r llmtest.Request) llmtest.Reply
		requests int
	}{
		"honoured": {func(llmtest.Request) llmtest.Reply { return llmtest.Text(`{"product": "Hangar"}`) }, 1},
		"in a fence": {func(llmtest.Request) llmtest.Reply {
			return llmtest.Text("Here:\n```json\n{\"product\": \"Hangar\"}\n```")
		}, 1},
		"with the schema's words": {func(llmtest.Request) llmtest.Reply {
			return llmtest.Text(`{"product": {"type": "string", "value": "Hangar"}}`)
		}, 1},
		"not heeded": {func(r llmtest.Request) llmtest.Reply {
			if r.ResponseFormat != nil {
				return llmtest.Text("I would look for Hangar.")
			}
			return llmtest.CallTool("find_tickets", `{"product": "Hangar"}`)
		}, 2},
		"another object": {func(r llmtest.Request) llmtest.Reply {
			if r.ResponseFormat != nil {
				return llmtest.Text(`{"decision": "go_on"}`)
			}
			return llmtest.CallTool("find_tickets", `{"product": "Hangar"}`)
		}, 2},
		"refused": {func(r llmtest.Request) llmtest.Reply {
			if r.ResponseFormat != nil {
				return refuse
			}
			return llmtest.CallTool("find_tickets", `{"product": "Hangar"}`)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
				if f := r.ResponseFormat; f != nil && f.JSONSchema != nil {
					if len(r.Tools) > 0 || f.JSONSchema.Name != "find_tickets" || *f.JSONSchema.Strict || !strings.Contains(string(f.JSONSchema.Schema), `"product"`) {
						t.Errorf("asked for %+v with %d tools", f, len(r.Tools))
					}
				} else if f == nil && len(r.Tools) > 0 && !strings.Contains(string(r.ToolChoice), "find_tickets") {
					t.Errorf("tool choice %s", r.ToolChoice)
				}
				return tt.answer(r)
			})
			m := model(t, srv, nil)
			req := ask("Which tickets are there about Hangar?")
			req.Tools = []llm.Tool{{Name: "find_tickets", Parameters: json.RawMessage(`{"type":"object","properties":{"product":{"type":"string"},"limit":{"type":"integer"}},"required":["product"]}`)}}
			req.ToolChoice = "find_tickets"
			shown := ""
			resp, err := m.Generate(t.Context(), req, func(s string) { shown += s })
			if err != nil || shown != "" || resp.Message.Content != "" || resp.Finish != "tool_calls" || len(resp.Message.ToolCalls) != 1 {
				t.Fatalf("%s, %v; shown %q", show(resp), err, shown)
			}
			c := resp.Message.ToolCalls[0]
			var args struct{ Product string }
			if json.Unmarshal(c.Arguments, &args) != nil || args.Product != "Hangar" || c.Name != "find_tickets" || c.ID == "" {
				t.Errorf("call %+v", c)
			}
			if n := len(srv.Chats()); tt.requests > 0 && n != tt.requests {
				t.Errorf("%d requests", n)
			}
		})
	}
}
