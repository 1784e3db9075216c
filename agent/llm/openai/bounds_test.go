package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent/llm"
	"maru/agent/llm/llmtest"
)

// Strict mode answers a schema with bounds by 400 "'minLength' is not
// permitted": they are said in words, and the reply is held to them here.
func TestStrictSchemaHasNoBounds(t *testing.T) {
	t.Parallel()
	shape := llm.MustShape("plan", `{"type":"object","additionalProperties":false,"required":["why","steps","minItems"],"properties":{
		"why":{"type":"string","minLength":1},
		"steps":{"type":"array","minItems":1,"maxItems":12,"description":"in order","items":{"type":"string","maxLength":80,"pattern":"^[a-z]"}},
		"minItems":{"anyOf":[{"type":"number","minimum":0,"maximum":1},{"type":"null"}]}}}`)
	var sent json.RawMessage
	srv := llmtest.NewServer(t, func(r llmtest.Request) llmtest.Reply {
		if j := r.ResponseFormat.JSONSchema; j != nil && j.Strict != nil && *j.Strict {
			sent = j.Schema
		}
		return llmtest.Text(`{"why":"w","steps":["a"],"minItems":null}`)
	})
	req := ask("?")
	req.Schema = shape.Schema()
	resp, err := model(t, srv, nil).Generate(t.Context(), req, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := len(srv.Journal()); got != 1 {
		t.Errorf("%d requests, want 1", got)
	}
	const want = `{"type":"object","additionalProperties":false,"required":["why","steps","minItems"],"properties":{` +
		`"why":{"type":"string","description":"minLength 1"},` +
		`"steps":{"type":"array","description":"in order (minItems 1, maxItems 12)","items":{"type":"string","description":"maxLength 80, pattern \"^[a-z]\""}},` +
		`"minItems":{"anyOf":[{"type":"number","description":"minimum 0, maximum 1"},{"type":"null"}]}}}`
	if string(sent) != want {
		t.Errorf("sent\n%s, want\n%s", sent, want)
	}
	var out any
	if err := shape.Decode(resp.Message.Content, &out); err != nil {
		t.Error(err)
	}
	if err := shape.Decode(`{"why":"w","steps":[],"minItems":null}`, &out); err == nil || !strings.Contains(err.Error(), "/steps") {
		t.Errorf("a reply without steps: %v", err)
	}
}
