package schema

import (
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// combined are what OpenAI refuses at the top of a tool's parameters, and with it the
// whole request.
var combined = []string{"allOf", "anyOf", "oneOf", "enum", "not"}

// Parameters returns a tool's schema as endpoints take it: an object that names its
// properties and is not put together of others. Tools of other servers are written
// otherwise; what is left out here is still checked before the tool is called.
func Parameters(raw json.RawMessage) json.RawMessage {
	raw = json.RawMessage(withItems(jsontext.Value(raw), 0))
	top := membersOf(jsontext.Value(raw))
	known := valueOf(top, "properties")
	if known.Kind() == '{' && string(valueOf(top, "type")) == `"object"` && !slices.ContainsFunc(combined, func(k string) bool { return valueOf(top, k) != nil }) {
		return raw
	}
	props := membersOf(known)
	for _, k := range combined {
		var parts []jsontext.Value
		_ = json.Unmarshal(valueOf(top, k), &parts) // what is no list adds no properties
		for _, part := range parts {
			for _, m := range membersOf(valueOf(membersOf(part), "properties")) {
				if valueOf(props, m.Name) == nil {
					props = append(props, m)
				}
			}
		}
	}
	list, err := objectOfMembers(props)
	if err != nil {
		return raw
	}
	out := []Member{{"type", jsontext.Value(`"object"`)}, {"properties", list}}
	for _, m := range top {
		if m.Name != "type" && m.Name != "properties" && !slices.Contains(combined, m.Name) {
			out = append(out, m)
		}
	}
	whole, err := objectOfMembers(out)
	if err != nil {
		return raw
	}
	return json.RawMessage(whole)
}

// membersOf returns the members of an object, and none of anything else.
func membersOf(v jsontext.Value) []Member {
	if v.Kind() != '{' || !json.Valid(v) {
		return nil
	}
	all, err := Members(v)
	if err == nil {
		return all
	}
	var loose map[string]any // a name is there twice, or a text is no UTF-8
	if json.Unmarshal(v, &loose) != nil {
		return nil
	}
	again, err := json.Marshal(loose)
	if err != nil {
		return nil
	}
	if all, err = Members(again); err != nil {
		return nil
	}
	return all
}

// valueOf returns the value of one member, nil if it is not there.
func valueOf(all []Member, name string) jsontext.Value {
	if at := slices.IndexFunc(all, func(m Member) bool { return m.Name == name }); at >= 0 {
		return all[at].Value
	}
	return nil
}
