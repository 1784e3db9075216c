package orchestrator

import (
	"encoding/json"
	"strings"
	"testing"

	"maru/agent"
	"maru/agent/tool"
)

func TestWhatIsGraverThanShown(t *testing.T) {
	t.Parallel()
	reads, sends := step{Tool: "r", Effect: agent.EffectReads}, step{Tool: "s", Effect: agent.EffectSends}
	writes, runs := step{Tool: "w", Effect: agent.EffectWrites}, step{Tool: "x", Effect: agent.EffectExecutes}
	other := step{Tool: "w2", Effect: agent.EffectWrites}
	unknown := step{Tool: "?"}
	for name, c := range map[string]struct {
		now, shown []step
		want       bool
	}{
		"same":               {[]step{reads, writes}, []step{reads, writes}, false},
		"fewer":              {[]step{reads}, []step{reads, writes}, false},
		"other_order":        {[]step{writes, reads}, []step{reads, writes}, false},
		"another_reader":     {[]step{reads, {Tool: "r2", Effect: agent.EffectReads}}, []step{reads}, false},
		"graver":             {[]step{runs}, []step{reads, writes}, true},
		"new_sender":         {[]step{sends}, []step{reads}, true},
		"new_writing_tool":   {[]step{writes, other}, []step{writes}, true},
		"other_writing_tool": {[]step{other}, []step{writes}, true},
		"same_effect_new":    {[]step{writes, sends}, []step{writes}, true},
		"unknown_effect":     {[]step{unknown}, []step{runs}, true},
		"nothing_was_shown":  {[]step{writes}, nil, true},
	} {
		if got := graver(c.now, c.shown); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDigestsTellCallsApart(t *testing.T) {
	t.Parallel()
	base := callDigest("s1", "tool", json.RawMessage(`{"a": 1}`))
	if base == "" || base != callDigest("s1", "tool", json.RawMessage(`{"a":1}`)) {
		t.Error("white space counts")
	}
	for _, other := range []string{
		callDigest("s2", "tool", json.RawMessage(`{"a":1}`)), callDigest("s1", "tool2", json.RawMessage(`{"a":1}`)), callDigest("s1", "tool", json.RawMessage(`{"a":2}`)),
	} {
		if other == base {
			t.Error("another call has the same digest")
		}
	}
	if callDigest("s1", "tool", json.RawMessage(`{`)) != "" {
		t.Error("what is no JSON has a digest")
	}
	if digestOf([]step{{Text: "a"}}) == digestOf([]step{{Text: "b"}}) {
		t.Error("another plan has the same digest")
	}
}

const manyKinds = `{"type":"object","required":["city","n"],"properties":{
	"city":{"type":"string","description":"which city"},"n":{"type":["integer","null"]},"ratio":{"type":"number"},"deep":{"type":"boolean"},
	"unit":{"type":"string","enum":["c","f"]},"tags":{"type":"array","items":{"type":"string"}},"more":{"type":"object"}}}`

func TestFormsOfTools(t *testing.T) {
	t.Parallel()
	before := json.RawMessage(`{"city":"부산","n":3,"ratio":0.5,"deep":true,"unit":"c","tags":["a","b"],"more":{"x":1},"hidden":"stays"}`)
	inputs := formOf("ko", tool.Spec{Parameters: json.RawMessage(manyKinds)}, before)
	values := map[string]string{}
	var order []string
	for _, in := range inputs {
		values[in.ID] = in.Value
		order = append(order, in.ID)
	}
	if strings.Join(order, " ") != "city n deep more ratio tags unit" || !inputs[0].Required || inputs[0].Hint != "which city" || len(inputs[2].Options) != 2 {
		t.Errorf("%+v", inputs)
	}
	same, faults := argumentsOf(json.RawMessage(manyKinds), before, values)
	if len(faults) > 0 || callDigest("", "", same) != callDigest("", "", sorted(t, before)) {
		t.Errorf("%s, %v", same, faults)
	}
	changed, faults := argumentsOf(json.RawMessage(manyKinds), before, map[string]string{
		"city": " 서울 ", "n": "1,200", "deep": "아니요", "tags": "x, y\nz", "unit": "", "more": `{"y":2}`, "unheard": "of",
	})
	if want := `{"city":"서울","deep":false,"hidden":"stays","more":{"y":2},"n":1200,"ratio":0.5,"tags":["x","y","z"]}`; len(faults) > 0 || string(changed) != want {
		t.Errorf("%s, %v", changed, faults)
	}
	for field, wrong := range map[string]string{"n": "three", "ratio": "NaN", "deep": "perhaps", "tags": "[1,", "more": "x"} {
		left, faults := argumentsOf(json.RawMessage(manyKinds), before, map[string]string{field: wrong})
		if len(faults) != 1 || faults[0].Field != field || strings.Contains(string(left), `"`+field+`"`) {
			t.Errorf("%s = %q: %v, left %s", field, wrong, faults, left)
		}
	}
	if text := readable(json.RawMessage(manyKinds)); !strings.Contains(text, "- city (string, required): which city") || !strings.Contains(text, "One of: c, f") {
		t.Errorf("%s", text)
	}
}

// TestStrangeSchemasHaveForms reads what servers of strangers write: no schema that
// the registry takes may fail a run.
func TestStrangeSchemasHaveForms(t *testing.T) {
	t.Parallel()
	for parameters, want := range map[string]string{
		``: "", `{"type":"object"}`: "", `{"type":"object","properties":{}}`: "",
		`{"type":"object","properties":{"a":true,"b":{"description":1,"enum":"x"},"c":{"type":7}}}`: "a string|b string|c string",
		`{"type":"object","properties":{"a":{"type":["null","integer"]}}}`:                          "a integer",
	} {
		var got []string
		for _, f := range fieldsOf(json.RawMessage(parameters)) {
			got = append(got, f.Name+" "+f.Type)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s: %v", parameters, got)
		}
	}
}

func sorted(t *testing.T, raw json.RawMessage) json.RawMessage {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestToolsAreReRankedByMemory(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b", "c", "d"}
	past := map[string]served{"a": {Avoid: true, Samples: 5}, "c": {Success: 1, Samples: 9}, "b": {Success: 0.1, Samples: 9}}
	for planned, want := range map[string]string{"": "c b d a", "d": "d c b a", "a": "a c b d"} {
		if got := strings.Join(rerank(names, past, planned), " "); got != want {
			t.Errorf("planned %q: %s, want %s", planned, got, want)
		}
	}
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"city":"x"}`, "1", "[]")
	f.Add(`null`, "1e999", "{}")
	f.Fuzz(func(t *testing.T, before, number, list string) {
		out, _ := argumentsOf(json.RawMessage(manyKinds), json.RawMessage(before), map[string]string{"n": number, "ratio": number, "tags": list, "more": list})
		if !json.Valid(out) {
			t.Errorf("%q is no JSON", out)
		}
	})
}
