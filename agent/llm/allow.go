package llm

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxAllowed is how many values a schema lists: more cost more than they tell.
const maxAllowed = 200

// Allowing returns the shape with the values that a property of this name may have, wherever the
// schema has one: what exists now, the likeliest first. Endpoints that decode within schemas then
// write nothing else. A reply with another value is still decoded, since not all of them do: who
// asks tells what is wrong with it. Of a number the values are numbers. Without values the shape stays as it is.
func (s *Shape) Allowing(property string, values []string) *Shape {
	var list []string
	for _, v := range values {
		if !slices.Contains(list, v) && len(list) < maxAllowed {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		return s
	}
	base := s.compiled()
	listed, err := listing(base.schema.JSON, property, list)
	if err != nil {
		return s
	}
	made, err := compileShape(base.schema.Name, listed)
	if err != nil {
		return s
	}
	made.listed, made.check = made.check, base.check
	return &Shape{ready: func() (compiledShape, error) { return made, nil }}
}

// listing adds an enum to the schemas of a property, or of its elements, and leaves the order of
// all members: models write a reply's in the schema's.
func listing(schema json.RawMessage, property string, list []string) (json.RawMessage, error) {
	enum, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(schema)), jsontext.NewEncoder(&out)
	for {
		tok, err := dec.ReadToken()
		if err == io.EOF {
			return bytes.TrimSpace(out.Bytes()), nil
		}
		if err != nil {
			return nil, err
		}
		if err := enc.WriteToken(tok); err != nil {
			return nil, err
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		if kind != '{' || n%2 == 0 || !strings.HasSuffix(string(dec.StackPointer()), "/properties/"+property) {
			continue
		}
		value, err := dec.ReadValue()
		if err != nil {
			return nil, err
		}
		if err := enc.WriteValue(withEnum(value, enum)); err != nil {
			return nil, err
		}
	}
}

// withEnum adds an enum to the schema of a text, or of a list of texts.
func withEnum(schema jsontext.Value, enum []byte) jsontext.Value {
	var of struct {
		Type  string         `json:"type"`
		Items jsontext.Value `json:"items"`
	}
	text := bytes.TrimSpace(schema)
	if json.Unmarshal(text, &of) != nil {
		return schema
	}
	if of.Type == "integer" {
		enum = bytes.ReplaceAll(enum, []byte(`"`), nil)
	}
	if of.Type == "array" && len(of.Items) > 0 {
		items := withEnum(of.Items, enum)
		return bytes.Replace(text, of.Items, items, 1)
	}
	return slices.Concat(bytes.TrimSuffix(text, []byte("}")), []byte(`,"enum":`), enum, []byte("}"))
}
