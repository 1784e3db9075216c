package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"maru/agent/llm"
	"maru/phrase"
)

// schema checks arguments against a tool's parameters.
type schema struct {
	compiled   *jsonschema.Schema
	properties []string // names at the top level, for suggestions
}

// compile reads the JSON Schema of an object. An empty one allows any object.
func compile(parameters json.RawMessage) (*schema, error) {
	if len(bytes.TrimSpace(parameters)) == 0 {
		parameters = json.RawMessage(`{"type":"object"}`)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(parameters))
	if err != nil {
		return nil, fmt.Errorf("parameters are not JSON: %w", err)
	}
	root, ok := doc.(map[string]any)
	if !ok || root["type"] != "object" {
		return nil, errors.New(`parameters must be a JSON Schema with "type": "object"`)
	}
	compiled, err := llm.CompileSchema(doc)
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	properties, _ := root["properties"].(map[string]any)
	return &schema{compiled, slices.Sorted(maps.Keys(properties))}, nil
}

// check validates arguments and returns the faults, or nil.
func (s *schema) check(arguments map[string]any) []Fault {
	err := s.compiled.Validate(arguments)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Fault{{Model: "the arguments cannot be checked", People: phrase.Of("tool.unchecked")}}
	}
	faults := s.faults(invalid, nil)
	slices.SortFunc(faults, func(a, b Fault) int { return strings.Compare(a.Model, b.Model) })
	return slices.CompactFunc(faults, func(a, b Fault) bool { return a.Model == b.Model })
}

// faults collects the leaves of a validation error.
func (s *schema) faults(e *jsonschema.ValidationError, out []Fault) []Fault {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			out = s.faults(cause, out)
		}
		return out
	}
	where := strings.Join(e.InstanceLocation, ".")
	var top string
	if len(e.InstanceLocation) > 0 {
		top = e.InstanceLocation[0]
	}
	at := func(name string) Fault {
		f := Fault{Field: top, Where: strings.TrimPrefix(where+"."+name, ".")}
		f.Field = cmp.Or(f.Field, name)
		return f
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			f := at(name)
			f.Missing, f.Model, f.People = top == "", "missing "+f.Where, phrase.Of("tool.missing")
			out = append(out, f)
		}
		return out
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			f := at(name)
			f.Model, f.People = s.unknown(f.Where), phrase.Of("tool.no_such_value")
			out = append(out, f)
		}
		return out
	}
	text := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	return append(out, Fault{
		Field: top, Where: where, People: Wants(e.ErrorKind),
		Model: strings.TrimPrefix(clip(where, 64)+": ", ": ") + clip(text, 200),
	})
}

// unknown complains about a name that the schema does not have.
func (s *schema) unknown(name string) string {
	text := fmt.Sprintf("unknown %q", clip(name, 64))
	if near, ok := Nearest(name, s.properties); ok {
		text += fmt.Sprintf(", did you mean %q?", near)
	}
	return text
}

// Shape checks JSON objects against an untrusted schema: references to other documents are not followed.
type Shape struct{ schema *schema }

// NewShape reads the JSON Schema of an object.
func NewShape(schema json.RawMessage) (*Shape, error) {
	s, err := compile(schema)
	if err != nil {
		return nil, err
	}
	return &Shape{s}, nil
}

// Check returns the faults of an object as a sentence for a model or a log, or "".
func (s *Shape) Check(data json.RawMessage) string {
	object, err := decodeStrict(data)
	if err != nil {
		return err.Error()
	}
	return complaint(s.schema.check(object))
}
