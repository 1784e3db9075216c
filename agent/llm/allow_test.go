package llm_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"maru/agent/llm"
)

// TestAllowing: a schema lists what there is, where the property stands, in the order of its
// members; at most 200 values. Another value is told by who asked.
func TestAllowing(t *testing.T) {
	t.Parallel()
	base := llm.MustShape("plan", `{"type":"object","additionalProperties":false,"required":["steps","tools","from"],"properties":{
 "steps":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["text","tool"],"properties":{"text":{"type":"string"},"tool":{"type":"string","description":"a name"}}}},
 "tools":{"type":"array","items":{"type":"string"}},"from":{"type":"integer"}}}`)
	names := []string{"find", "", "find", "read"}
	shape := base.Allowing("tool", names).Allowing("tools", names).Allowing("from", []string{"0", "1"})
	sent := string(shape.Schema().JSON)
	for _, want := range []string{
		`"text":{"type":"string"},"tool":{"type":"string","description":"a name","enum":["find","","read"]}`,
		`"tools":{"type":"array","items":{"type":"string","enum":["find","","read"]}}`, `"from":{"type":"integer","enum":[0,1]}`,
	} {
		if !strings.Contains(sent, want) {
			t.Errorf("%s is not in %s", want, sent)
		}
	}
	if !shape.Schema().Strict {
		t.Error("no longer strict")
	}
	var got struct {
		Steps []struct {
			Tool string `json:"tool"`
		} `json:"steps"`
	}
	for reply, want := range map[string]string{
		`{"steps":[{"text":"a","tool":"find"}],"tools":[],"from":0}`:  "find",
		`{"steps":[{"text":"a","tool":" Find"}],"tools":[],"from":1}`: "find",
		`{"steps":[{"text":"a","tool":"other"}],"tools":[],"from":7}`: "other", // by a server that holds to no schema
	} {
		if err := shape.Decode(reply, &got); err != nil || got.Steps[0].Tool != want {
			t.Errorf("%s: %+v, %v", reply, got, err)
		}
	}
	if err := shape.Decode(`{"steps":[],"tools":[]}`, &got); err == nil {
		t.Error("a value that fits no shape was taken")
	}
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprintf("tool_%03d", i))
	}
	var schema struct {
		Properties struct {
			Tools struct {
				Items struct {
					Enum []string `json:"enum"`
				} `json:"items"`
			} `json:"tools"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(base.Allowing("tools", many).Schema().JSON, &schema); err != nil || len(schema.Properties.Tools.Items.Enum) != 200 || schema.Properties.Tools.Items.Enum[199] != "tool_199" {
		t.Errorf("%v, %v", schema, err)
	}
	if base.Allowing("tools", nil) != base {
		t.Error("nothing to list, and another shape")
	}
}
