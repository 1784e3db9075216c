package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"maru/agent/tool"
)

// Values that a server would take by itself are in the call that people are shown.
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

// Defaults are in all places of a schema. Where it cannot be known whether the server applies one, that is said.
func TestDefaultsOfEveryShape(t *testing.T) {
	t.Parallel()
	const all = `"everyone@company.example"`
	for name, c := range map[string]struct{ parameters, given, want, open string }{
		"alternative_that_fits": {`"properties":{"kind":{}},"anyOf":[{"properties":{"kind":{"const":"mail"},"to":{"default":` + all + `}}},{"properties":{"kind":{"const":"chat"}}}]`,
			`{"kind":"mail"}`, `{"kind":"mail","to":` + all + `}`, ""},
		"alternative_that_does_not_fit": {`"anyOf":[{"properties":{"kind":{"const":"mail"},"to":{"default":` + all + `}}},{"properties":{"kind":{"const":"chat"}}}]`, `{"kind":"chat"}`, `{"kind":"chat"}`, ""},
		"alternatives_that_fit":         {`"anyOf":[{"properties":{"to":{"default":` + all + `}}},{"properties":{"room":{"type":"string"}}}]`, `{"text":"x"}`, `{"text":"x"}`, `to = ` + all},
		"alternative_that_it_completes": {`"oneOf":[{"properties":{"to":{"default":` + all + `}},"required":["to"]},{"required":["room"]}]`, `{"text":"x"}`, `{"text":"x","to":` + all + `}`, ""},
		"of_an_optional_value":          {`"properties":{"to":{"anyOf":[{"type":"string"},{"type":"null"}],"default":` + all + `}}`, `{}`, `{"to":` + all + `}`, ""},
		"inside_of_an_optional_value":   {`"properties":{"to":{"anyOf":[{"type":"string","default":` + all + `},{"type":"null"}]}}`, `{}`, `{}`, `to = ` + all},
		"members_of_an_alternative": {`"properties":{"by":{"anyOf":[{"type":"object","properties":{"to":{"default":` + all + `}}},{"type":"string"}]}}`,
			`{"by":{}}`, `{"by":{"to":` + all + `}}`, ""},
		"all_of":                 {`"allOf":[{"properties":{"to":{"default":` + all + `}}},{"properties":{"n":{"default":1}}}]`, `{}`, `{"n":1,"to":` + all + `}`, ""},
		"all_of_that_contradict": {`"allOf":[{"properties":{"n":{"default":2}}},{"properties":{"n":{"default":1}}}]`, `{}`, `{}`, `n = 1; n = 2`},
		"all_of_a_definition":    {`"properties":{"by":{"allOf":[{"$ref":"#/$defs/by"}]}},"$defs":{"by":{"default":{"to":` + all + `}}}`, `{}`, `{"by":{"to":` + all + `}}`, ""},
		"definition_of_one":      {`"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"default":1}}`, `{}`, `{"a":1}`, ""},
		"place_over_definition":  {`"properties":{"a":{"$ref":"#/$defs/a","default":2}},"$defs":{"a":{"default":1}}`, `{}`, `{"a":2}`, ""},
		"older_draft":            {`"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/a","default":2}},"definitions":{"a":{"default":1}}`, `{}`, `{"a":2}`, ""},
		"other_property":         {`"properties":{"a":{"$ref":"#/properties/b"},"b":{"default":1}}`, `{"b":3}`, `{"b":3,"a":1}`, ""},
		"itself":                 {`"properties":{"of":{"$ref":"#"},"to":{"default":` + all + `}}`, `{"of":{}}`, `{"of":{"to":` + all + `},"to":` + all + `}`, `of.of.of.to = ` + all + `; of.of.to = ` + all},
		"lists_in_lists":         {`"properties":{"a":{"items":{"items":{"properties":{"n":{"default":1}}}}}}`, `{"a":[[{}],[]]}`, `{"a":[[{"n":1}],[]]}`, ""},
		"places_of_a_list":       {`"properties":{"a":{"prefixItems":[{"properties":{"n":{"default":1}}}],"items":{"properties":{"n":{"default":2}}}}}`, `{"a":[{},{}]}`, `{"a":[{"n":1},{"n":2}]}`, ""},
		"older_places_of_a_list": {`"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{"properties":{"n":{"default":1}}}]}}`, `{"a":[{},{}]}`, `{"a":[{"n":1},{}]}`, ""},
		"elements_of_a_kind": {`"properties":{"a":{"items":{"oneOf":[{"properties":{"k":{"const":1},"to":{"default":` + all + `}}},{"properties":{"k":{"const":2}}}]}}}`,
			`{"a":[{"k":1},{"k":2}]}`, `{"a":[{"k":1,"to":` + all + `},{"k":2}]}`, ""},
		"members_of_any_name": {`"properties":{"a":{"additionalProperties":{"properties":{"n":{"default":1}}}}}`, `{"a":{"x":{}}}`, `{"a":{"x":{"n":1}}}`, ""},
		"members_of_a_name":   {`"patternProperties":{"^to":{"properties":{"n":{"default":1}}}}`, `{"to_kim":{},"x":{}}`, `{"to_kim":{"n":1},"x":{}}`, ""},
		"condition": {`"if":{"properties":{"k":{"const":1}},"required":["k"]},"then":{"properties":{"to":{"default":` + all + `}}},"else":{"properties":{"n":{"default":1}}}`,
			`{"k":1}`, `{"k":1,"to":` + all + `}`, ""},
		"dependent":                  {`"dependentSchemas":{"k":{"properties":{"to":{"default":` + all + `}}}}`, `{"k":1}`, `{"k":1,"to":` + all + `}`, ""},
		"inside_of_an_absent_object": {`"properties":{"mail":{"type":"object","properties":{"to":{"default":` + all + `}}}}`, `{}`, `{}`, `mail.to = ` + all},
		"of_null":                    {`"properties":{"a":{"anyOf":[{"default":null},{"type":"string"}]}}`, `{}`, `{}`, ""},
	} {
		got := (tool.Spec{Parameters: json.RawMessage(`{"type":"object",` + c.parameters + `}`)}).Fill(json.RawMessage(c.given))
		if open := strings.Join(got.Open, "; "); string(got.Arguments) != c.want || open != c.open || got.Unknown {
			t.Errorf("%s: %s, open %q, %v", name, got.Arguments, open, got.Unknown)
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
			if got := s.Fill(json.RawMessage(given)); string(got.Arguments) != given || !got.Unknown {
				t.Errorf("%s: %d bytes of %s, %v", name, len(got.Arguments), given, got.Unknown)
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

// Reading long values is no work of defaults: however deep they stand, the call gets its defaults. Checking one of them against
// thousands of conditions is.
func TestDefaultsOfLongValues(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds, in one goroutine")
	}
	t.Parallel()
	const parameters = `{"$defs":{"n":{"properties":{"as":{"default":"bcc"},"of":{"$ref":"#/$defs/n"}},"anyOf":[{"required":["text"]},{"required":["of"]}]}},"$ref":"#/$defs/n"}`
	for depth, size := range map[int]int{1: 1_100_000, 2: 3_000_000, 20: 200_000} {
		given := strings.Repeat(`{"of":`, depth) + `{"text":"` + strings.Repeat("x", size) + `"}` + strings.Repeat(`}`, depth)
		got := (tool.Spec{Parameters: json.RawMessage(parameters)}).Fill(json.RawMessage(given))
		if n := strings.Count(string(got.Arguments), `"as":"bcc"`); n != depth+1 || got.Unknown {
			t.Errorf("%d bytes at depth %d: %d defaults, %v", size, depth, n, got.Unknown)
		}
	}
	one := `{"if":{"required":["a"]},"then":{"properties":{"as":{"default":"bcc"}}}}`
	many := tool.Spec{Parameters: json.RawMessage(`{"allOf":[` + strings.TrimSuffix(strings.Repeat(one+",", 3000), ",") + `]}`)}
	if got := many.Fill(json.RawMessage(`{"a":"` + strings.Repeat("x", 200_000) + `"}`)); !got.Unknown || len(got.Added) > 0 {
		t.Errorf("3000 conditions of a long value: added %q, %v", got.Added, got.Unknown)
	}
}
