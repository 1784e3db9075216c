package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
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

// A schema of a few hundred bytes can declare defaults that double at every level. The call is left as it is, at once.
func TestDefaultsThatDoubleAreLeftOut(t *testing.T) {
	t.Parallel()
	var chain strings.Builder
	for i := range 30 {
		fmt.Fprintf(&chain, `"n%d":{"properties":{"a":{"$ref":"#/$defs/n%[2]d","default":{}},"b":{"$ref":"#/$defs/n%[2]d","default":{}}}},`, i, i+1)
	}
	for name, defs := range map[string]string{
		"to_itself": `"n0":{"properties":{"a":{"$ref":"#/$defs/n0","default":{}},"b":{"$ref":"#/$defs/n0","default":{}}}}`,
		"in_a_list": `"n0":{"properties":{"a":{"items":{"$ref":"#/$defs/n0"},"default":[{},{}]}}}`,
		"a_chain":   chain.String() + `"n30":{}`,
	} {
		s := tool.Spec{Parameters: json.RawMessage(`{"properties":{"of":{"$ref":"#/$defs/n0"},"as":{"default":"bcc"},"at":{"$ref":"#/$defs/n0","default":{}}},"$defs":{` + defs + `}}`)}
		for _, given := range []string{`{"of":{}}`, ``} {
			if got := s.Filled(json.RawMessage(given)); string(got) != given {
				t.Errorf("%s: %d bytes of %s", name, len(got), given)
			}
		}
	}
}

// A long list is within the bound: each of its elements gets its default.
func TestDefaultsOfALongList(t *testing.T) {
	t.Parallel()
	s := tool.Spec{Parameters: json.RawMessage(`{"properties":{"rows":{"items":{"properties":{"n":{"type":"integer"},"unit":{"type":"string","description":"` +
		strings.Repeat("x", 500) + `","default":"each"}}}}}}`)}
	given := `{"rows":[` + strings.TrimSuffix(strings.Repeat(`{"n":1},`, 1000), ",") + `]}`
	if got := strings.Count(string(s.Filled(json.RawMessage(given))), `"unit":"each"`); got != 1000 {
		t.Errorf("%d of 1000", got)
	}
}
