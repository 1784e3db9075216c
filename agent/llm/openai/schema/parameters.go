package schema

import (
	"encoding/json"
	"slices"
)

// combined are what OpenAI refuses at the top of a tool's parameters, and with it the
// whole request.
var combined = []string{"allOf", "anyOf", "oneOf", "enum", "not"}

// Parameters is a tool's schema as endpoints take it: an object that names its
// properties and is not put together of others. Tools of other servers are written
// otherwise; what is left out here is still checked before the tool is called.
func Parameters(raw json.RawMessage) json.RawMessage {
	raw = withItems(raw, 0)
	var top map[string]json.RawMessage
	if json.Unmarshal(raw, &top) != nil || top == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	var props map[string]json.RawMessage
	_ = json.Unmarshal(top["properties"], &props) // one that is no object is none
	if props != nil && string(top["type"]) == `"object"` && !slices.ContainsFunc(combined, func(k string) bool { return top[k] != nil }) {
		return raw
	}
	if props == nil {
		props = map[string]json.RawMessage{}
	}
	for _, k := range combined {
		var parts []struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		_ = json.Unmarshal(top[k], &parts) // what names no properties adds none
		for _, p := range parts {
			for name, schema := range p.Properties {
				if _, known := props[name]; !known {
					props[name] = schema
				}
			}
		}
		delete(top, k)
	}
	list, err := json.Marshal(props)
	if err != nil {
		return raw
	}
	top["type"], top["properties"] = json.RawMessage(`"object"`), list
	out, err := json.Marshal(top)
	if err != nil {
		return raw
	}
	return out
}
