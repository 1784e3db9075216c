package tool

import (
	"bytes"
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
)

// schema checks arguments against a tool's parameters.
type schema struct {
	compiled   *jsonschema.Schema
	properties []string // names at the top level, for suggestions
}

// noLoader refuses references to other documents: a schema that comes from
// elsewhere must not make us read files or fetch addresses.
type noLoader struct{}

// Load implements jsonschema.URLLoader.
func (noLoader) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
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
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("tool:///parameters", doc); err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	compiled, err := c.Compile("tool:///parameters")
	if err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	properties, _ := root["properties"].(map[string]any)
	return &schema{compiled, slices.Sorted(maps.Keys(properties))}, nil
}

// maxComplaints bounds what the model is told at once.
const maxComplaints = 8

// check validates arguments and returns a sentence for the model, "" when
// they fit.
func (s *schema) check(arguments map[string]any) string {
	err := s.compiled.Validate(arguments)
	if err == nil {
		return ""
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return "the arguments cannot be checked"
	}
	complaints := s.complaints(invalid, nil)
	slices.Sort(complaints)
	complaints = slices.Compact(complaints)
	if len(complaints) > maxComplaints {
		complaints = append(complaints[:maxComplaints], "and more")
	}
	return strings.Join(complaints, "; ")
}

// complaints collects the leaves of a validation error.
func (s *schema) complaints(e *jsonschema.ValidationError, out []string) []string {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			out = s.complaints(cause, out)
		}
		return out
	}
	where := strings.Join(e.InstanceLocation, ".")
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			out = append(out, "missing "+strings.TrimPrefix(where+"."+name, "."))
		}
		return out
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			out = append(out, s.unknown(strings.TrimPrefix(where+"."+name, ".")))
		}
		return out
	}
	text := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	return append(out, strings.TrimPrefix(clip(where, 64)+": ", ": ")+clip(text, 200))
}

// unknown complains about a name that the schema does not have.
func (s *schema) unknown(name string) string {
	text := fmt.Sprintf("unknown %q", clip(name, 64))
	if near, ok := Nearest(name, s.properties); ok {
		text += fmt.Sprintf(", did you mean %q?", near)
	}
	return text
}

// Shape checks JSON objects against a schema that a stranger may have written:
// references to other documents are not followed.
type Shape struct{ schema *schema }

// NewShape reads the JSON Schema of an object.
func NewShape(schema json.RawMessage) (*Shape, error) {
	s, err := compile(schema)
	if err != nil {
		return nil, err
	}
	return &Shape{s}, nil
}

// Check returns what is wrong with an object in a sentence for a model or a log, ""
// if nothing is.
func (s *Shape) Check(data json.RawMessage) string {
	object, err := decodeStrict(data)
	if err != nil {
		return err.Error()
	}
	return s.schema.check(object)
}
