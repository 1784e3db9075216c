// Package schema rewrites JSON Schemas to what endpoints take, and encodes tools for requests. It knows nothing of models.
package schema

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
// to them here, by its [maru/agent/llm.Shape].
var bounds = []string{
	"minLength", "maxLength", "pattern", "format",
	"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
	"minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "unevaluatedItems",
	"minProperties", "maxProperties", "propertyNames", "unevaluatedProperties", "default",
}

// names are the keywords whose members are names, not keywords.
var names = []string{"properties", "$defs", "definitions"}

// Member is one member of a JSON object, in its place: models write the members
// of a reply in the order of the schema, so the order is kept.
type Member struct {
	Name  string
	Value jsontext.Value
}

// Strict returns a schema as strict mode takes it: without the bounds, which
// the description says instead. A schema that cannot be read stays as it is.
func Strict(schema json.RawMessage) json.RawMessage {
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
	all, err := Members(schema)
	if err != nil {
		return nil, err
	}
	var kept []Member
	var said []string
	for _, m := range all {
		if slices.Contains(bounds, m.Name) {
			said = append(said, fmt.Sprintf("%s %s", m.Name, m.Value))
			continue
		}
		if m.Value, err = inside(m); err != nil {
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
func inside(m Member) (jsontext.Value, error) {
	switch {
	case slices.Contains(names, m.Name) && m.Value.Kind() == '{':
		of, err := Members(m.Value)
		if err != nil {
			return nil, err
		}
		for i := range of {
			if of[i].Value, err = withoutBounds(of[i].Value); err != nil {
				return nil, err
			}
		}
		return objectOfMembers(of)
	case m.Name == "items":
		return withoutBounds(m.Value)
	case m.Name == "anyOf" && m.Value.Kind() == '[':
		var of []jsontext.Value
		if err := json.Unmarshal(m.Value, &of); err != nil {
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
	return m.Value, nil
}

// describe adds what the bounds say to a schema's description.
func describe(in []Member, said string) []Member {
	for i, m := range in {
		var text string
		if m.Name == "description" && json.Unmarshal(m.Value, &text) == nil {
			in[i].Value = quoted(text + " (" + said + ")")
			return in
		}
	}
	return append(in, Member{Name: "description", Value: quoted(said)})
}

func quoted(s string) jsontext.Value {
	v, _ := jsontext.AppendQuote(nil, s) // fails on invalid UTF-8 alone, and then replaces it
	return v
}

// Members reads an object's members in their order.
func Members(v jsontext.Value) ([]Member, error) {
	dec := jsontext.NewDecoder(bytes.NewReader(v))
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var out []Member
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		m := Member{Name: name.String()}
		if m.Value, err = dec.ReadValue(); err != nil {
			return nil, err
		}
		m.Value = m.Value.Clone()
		out = append(out, m)
	}
	_, err := dec.ReadToken()
	return out, err
}

func objectOfMembers(in []Member) (jsontext.Value, error) {
	var b bytes.Buffer
	enc := jsontext.NewEncoder(&b)
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return nil, err
	}
	for _, m := range in {
		if err := enc.WriteToken(jsontext.String(m.Name)); err != nil {
			return nil, err
		}
		if err := enc.WriteValue(m.Value); err != nil {
			return nil, err
		}
	}
	if err := enc.WriteToken(jsontext.EndObject); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
