package consent_test

import (
	"encoding/json"
	"maru/agent/tool"
	"maru/agent/workflow/consent"
	"strings"
	"testing"
)

const manyKinds = `{"type":"object","required":["city","n"],"properties":{
	"city":{"type":"string","description":"which city"},"n":{"type":["integer","null"]},"ratio":{"type":"number"},"deep":{"type":"boolean"},
	"unit":{"type":"string","enum":["c","f"]},"tags":{"type":"array","items":{"type":"string"}},"more":{"type":"object"}}}`

func TestFormsOfTools(t *testing.T) {
	t.Parallel()
	before := json.RawMessage(`{"city":"부산","n":3,"ratio":0.5,"deep":true,"unit":"c","tags":["a","b"],"more":{"x":1},"hidden":"stays"}`)
	inputs := consent.Form("ko", tool.Spec{Parameters: json.RawMessage(manyKinds)}, before)
	values := map[string]string{}
	var order []string
	for _, in := range inputs {
		values[in.ID] = in.Value
		order = append(order, in.ID)
	}
	if strings.Join(order, " ") != "city n deep more ratio tags unit" || !inputs[0].Required || inputs[0].Hint != "which city" || len(inputs[2].Options) != 2 {
		t.Errorf("%+v", inputs)
	}
	same, faults := consent.Fill(json.RawMessage(manyKinds), before, values)
	if len(faults) > 0 || string(same) != string(sorted(t, before)) {
		t.Errorf("%s, %v", same, faults)
	}
	changed, faults := consent.Fill(json.RawMessage(manyKinds), before, map[string]string{
		"city": " 서울 ", "n": "1,200", "deep": "아니요", "tags": "x, y\nz", "unit": "", "more": `{"y":2}`, "unheard": "of",
	})
	if want := `{"city":"서울","deep":false,"hidden":"stays","more":{"y":2},"n":1200,"ratio":0.5,"tags":["x","y","z"]}`; len(faults) > 0 || string(changed) != want {
		t.Errorf("%s, %v", changed, faults)
	}
	for field, wrong := range map[string]string{"n": "three", "ratio": "NaN", "deep": "perhaps", "tags": "[1,", "more": "x"} {
		left, faults := consent.Fill(json.RawMessage(manyKinds), before, map[string]string{field: wrong})
		if len(faults) != 1 || faults[0].Field != field || strings.Contains(string(left), `"`+field+`"`) {
			t.Errorf("%s = %q: %v, left %s", field, wrong, faults, left)
		}
	}
	if text := consent.Readable(json.RawMessage(manyKinds)); !strings.Contains(text, "- city (string, required): which city") || !strings.Contains(text, "One of: c, f") {
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
		for _, f := range consent.Fields(json.RawMessage(parameters)) {
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

func FuzzArguments(f *testing.F) {
	f.Add(`{"city":"x"}`, "1", "[]")
	f.Add(`null`, "1e999", "{}")
	f.Fuzz(func(t *testing.T, before, number, list string) {
		out, _ := consent.Fill(json.RawMessage(manyKinds), json.RawMessage(before), map[string]string{"n": number, "ratio": number, "tags": list, "more": list})
		if !json.Valid(out) {
			t.Errorf("%q is no JSON", out)
		}
	})
}
