package openai_test

import (
	"encoding/json"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// TestOddSchemasDoNotSpoilTheRequest: OpenAI refuses a whole request for one tool whose
// parameters name no properties or are put together of other schemas at the top, as
// those of some MCP servers are.
func TestOddSchemasDoNotSpoilTheRequest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ schema, want string }{
		"as it should be":  {`{"type":"object", "properties":{"b":{"type":"string"},"a":{"anyOf":[{"type":"null"}]}},"required":["b"]}`, `{"type":"object","properties":{"b":{"type":"string"},"a":{"anyOf":[{"type":"null"}]}},"required":["b"]}`},
		"nothing":          {``, `{"type":"object","properties":{}}`},
		"null":             {`null`, `{"type":"object","properties":{}}`},
		"no properties":    {`{"type":"object","additionalProperties":false}`, `{"type":"object","properties":{},"additionalProperties":false}`},
		"no type":          {`{"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`},
		"several types":    {`{"type":["object","null"],"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`},
		"one of two named": {`{"type":"object","properties":{"a":{},"b":{}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"type":"object","properties":{"a":{},"b":{}}}`},
		"only in parts":    {`{"type":"object","oneOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{}}},true]}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{}}}`},
		"parts":            {`{"properties":{"a":{"type":"string"}},"allOf":[{"properties":{"a":{},"b":{}}}],"$defs":{"x":{}}}`, `{"type":"object","properties":{"a":{"type":"string"},"b":{}},"$defs":{"x":{}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := llmtest.NewServer(t, func(llmtest.Request) llmtest.Reply { return llmtest.Text("five") })
			req := ask("2+3?")
			req.Tools = []llm.Tool{{Name: "calculator", Parameters: json.RawMessage(tt.schema)}}
			if _, err := model(t, srv, nil).Generate(t.Context(), req, nil); err != nil {
				t.Fatal(err)
			}
			if got := string(srv.Chats()[0].Tools[0].Function.Parameters); got != tt.want {
				t.Errorf("sent %s", got)
			}
		})
	}
}
