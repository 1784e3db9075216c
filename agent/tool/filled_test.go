package tool_test

import (
	"encoding/json"
	"testing"

	"maru/agent/tool"
)

// Values that a server would take by itself stand in the call that people are shown.
func TestDefaultsAreFilledIn(t *testing.T) {
	t.Parallel()
	const parameters = `{"type":"object",
		"properties":{
			"to":{"type":"array","items":{"$ref":"#/$defs/person"},"default":[{"mail":"everyone@company.example"}]},
			"text":{"type":"string"},
			"cc":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},
			"when":{"type":"object","properties":{"zone":{"type":"string","default":"Asia/Seoul"}}},
			"account":{"type":"integer","default":1234567890123456789},
			"any":true},
		"$defs":{"person":{"type":"object","properties":{"mail":{"type":"string"},"as":{"type":"string","default":"bcc"}}}}}`
	const everyone, account = `[{"mail":"everyone@company.example","as":"bcc"}]`, `"account":1234567890123456789`
	for name, c := range map[string]struct{ given, want string }{
		"absent":   {`{"text":"이사 안내"}`, `{"text":"이사 안내",` + account + `,"to":` + everyone + `}`},
		"nothing":  {``, `{` + account + `,"to":` + everyone + `}`},
		"null":     {`null`, `{` + account + `,"to":` + everyone + `}`},
		"elements": {`{"to":[{"mail":"a@b.example"},{"mail":"c@d.example","as":"to"}],"account":7}`, `{"to":[{"mail":"a@b.example","as":"bcc"},{"mail":"c@d.example","as":"to"}],"account":7}`},
		"nested":   {`{"to":[],"when":{"day":"Mon"},"account":7}`, `{"to":[],"when":{"day":"Mon","zone":"Asia/Seoul"},"account":7}`},
		"given":    {"{ \"account\": 7, \"to\": [] }", "{ \"account\": 7, \"to\": [] }"},
		"no_json":  {`{"to":`, `{"to":`},
		"a_list":   {`[1]`, `[1]`},
	} {
		if got := (tool.Spec{Parameters: json.RawMessage(parameters)}).Filled(json.RawMessage(c.given)); string(got) != c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, odd := range []string{``, `{"type":"object"}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/none"},"b":{"items":[1]}}}`, `no JSON`} {
		if got := (tool.Spec{Parameters: json.RawMessage(odd)}).Filled(json.RawMessage(`{"b":[{}]}`)); string(got) != `{"b":[{}]}` {
			t.Errorf("%q: %s", odd, got)
		}
	}
}
