package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// bounds are the keywords that strict mode refuses, at OpenAI, at Azure or at
// both ("'minLength' is not permitted"). Source: the guides "Structured outputs"
// of OpenAI and of Azure OpenAI, and the refusals themselves. The reply is held
// to them here, by its [llm.Shape].
var bounds = []string{
	"minLength", "maxLength", "pattern", "format",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems",
	"minProperties", "maxProperties", "propertyNames", "unevaluatedProperties", "default",
}

// names are the keywords whose members are names, not keywords.
var names = []string{"properties", "$defs", "definitions"}

// member is one member of a JSON object, in its place: models write the members
// of a reply in the order of the schema, so the order is kept.
type member struct {
	name  string
	value jsontext.Value
}

// enforced returns a schema as strict mode takes it: without the bounds, which
// the description says instead. A schema that cannot be read stays as it is.
func enforced(schema json.RawMessage) json.RawMessage {
	out, err := withoutBounds(jsontext.Value(schema))
	if err != nil {
		return schema
	}
	return json.RawMessage(out)
}

func withoutBounds(schema jsontext.Value) (jsontext.Value, error) {
	if schema.Kind() != '{' {
		return schema, nil // true, false, or what is no schema
	}
	all, err := members(schema)
	if err != nil {
		return nil, err
	}
	var kept []member
	var said []string
	for _, m := range all {
		if slices.Contains(bounds, m.name) {
			said = append(said, fmt.Sprintf("%s %s", m.name, m.value))
			continue
		}
		if m.value, err = inside(m); err != nil {
			return nil, err
		}
		kept = append(kept, m)
	}
	if len(said) > 0 {
		kept = describe(kept, strings.Join(said, ", "))
	}
	return objectOfMembers(kept)
}

// inside does the same to the schemas that a keyword holds.
func inside(m member) (jsontext.Value, error) {
	switch {
	case slices.Contains(names, m.name) && m.value.Kind() == '{':
		of, err := members(m.value)
		if err != nil {
			return nil, err
		}
		for i := range of {
			if of[i].value, err = withoutBounds(of[i].value); err != nil {
				return nil, err
			}
		}
		return objectOfMembers(of)
	case m.name == "items":
		return withoutBounds(m.value)
	case m.name == "anyOf" && m.value.Kind() == '[':
		var of []jsontext.Value
		if err := json.Unmarshal(m.value, &of); err != nil {
			return nil, err
		}
		for i := range of {
			var err error
			if of[i], err = withoutBounds(of[i]); err != nil {
				return nil, err
			}
		}
		return json.Marshal(of)
	}
	return m.value, nil
}

// describe adds what the bounds say to a schema's description.
func describe(in []member, said string) []member {
	for i, m := range in {
		var text string
		if m.name == "description" && json.Unmarshal(m.value, &text) == nil {
			in[i].value = quoted(text + " (" + said + ")")
			return in
		}
	}
	return append(in, member{name: "description", value: quoted(said)})
}

func quoted(s string) jsontext.Value {
	v, _ := jsontext.AppendQuote(nil, s) // fails on invalid UTF-8 alone, and then replaces it
	return v
}

// members reads an object's members in their order.
func members(v jsontext.Value) ([]member, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(v))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var out []member
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		m := member{name: name.String()}
		if m.value, err = dec.ReadValue(); err != nil {
			return nil, err
		}
		m.value = m.value.Clone()
		out = append(out, m)
	}
	_, err := dec.ReadToken()
	return out, err
}

func objectOfMembers(in []member) (jsontext.Value, error) {
	var b bytes.Buffer
	enc := jsontext.NewEncoder(&b)
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return nil, err
	}
	for _, m := range in {
		if err := enc.WriteToken(jsontext.String(m.name)); err != nil {
			return nil, err
		}
		if err := enc.WriteValue(m.value); err != nil {
			return nil, err
		}
	}
	if err := enc.WriteToken(jsontext.EndObject); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
