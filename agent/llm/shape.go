package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"maru/phrase/fit"
)

// Shape is a JSON schema in use, compiled once.
type Shape struct {
	ready func() (compiledShape, error)
}

type compiledShape struct {
	schema Schema
	check  *jsonschema.Schema
	listed *jsonschema.Schema // with the values of [Shape.Allowing], nil without
}

var shapeName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// NewShape compiles a JSON schema (draft 2020-12 unless it says otherwise). It
// asks endpoints for strict enforcement when the schema can be enforced: every
// object closed and all of its properties required. References outside the
// schema are an error; nothing is ever loaded.
func NewShape(name string, schema json.RawMessage) (*Shape, error) {
	made, err := compileShape(name, bytes.Clone(schema))
	if err != nil {
		return nil, err
	}
	return &Shape{ready: func() (compiledShape, error) { return made, nil }}, nil
}

// MustShape is NewShape for schemas that are part of the program. They are compiled when they
// are first used, since most starts of the program, all children among them, use none; a wrong
// one panics there.
func MustShape(name, schema string) *Shape {
	return &Shape{ready: sync.OnceValues(func() (compiledShape, error) {
		return compileShape(name, json.RawMessage(schema))
	})}
}

func compileShape(name string, schema json.RawMessage) (compiledShape, error) {
	if !shapeName.MatchString(name) {
		return compiledShape{}, fmt.Errorf("llm: schema name %q: want 1 to 64 letters, digits, _ or -", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return compiledShape{}, fmt.Errorf("llm: schema %s: %w", name, err)
	}
	check, err := CompileSchema(doc)
	if err != nil {
		return compiledShape{}, fmt.Errorf("llm: schema %s: %w", name, err)
	}
	return compiledShape{schema: Schema{Name: name, JSON: schema, Strict: enforceable(doc)}, check: check}, nil
}

func (s *Shape) compiled() compiledShape {
	c, err := s.ready()
	if err != nil {
		panic(err) // a schema of the program's own: NewShape returns its error
	}
	return c
}

// Schema returns the shape in the words of a request.
func (s *Shape) Schema() *Schema {
	c := s.compiled().schema
	return &c
}

// Decode checks a model's reply against the schema and decodes it into out, by
// the rules of [StrictJSON]. What is around the value, a code fence, a thinking
// block or words, is taken away, and what is loosely written put right, if there is one value
// alone that can be meant. The error's text is meant for the
// model: it says where the value is wrong, not what else was in it.
func (s *Shape) Decode(reply string, out any) error {
	data := []byte(unwrap(reply))
	if len(data) == 0 {
		return errors.New("the reply is empty")
	}
	c := s.compiled()
	first := c.check
	if c.listed != nil {
		first = c.listed
	}
	err := decode(first, data, out)
	if err == nil || len(data) > MaxJSON {
		return err
	}
	if value, ok := c.fitting(string(data), first); ok {
		return decode(first, value, out)
	}
	if c.listed == nil {
		return err
	}
	// A value that is not listed is judged by who asked.
	if err = decode(c.check, data, out); err == nil {
		return nil
	}
	if value, ok := c.fitting(string(data), c.check); ok {
		return decode(c.check, value, out)
	}
	return err
}

func decode(check *jsonschema.Schema, data []byte, out any) error {
	if err := StrictJSON(data, new(any)); err != nil {
		return fmt.Errorf("not one well-formed JSON value: %w", err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("not one well-formed JSON value: %w", err)
	}
	if err := check.Validate(doc); err != nil {
		return schemaError(err)
	}
	return StrictJSON(data, out)
}

// CompileSchema compiles a JSON Schema that was decoded by jsonschema.UnmarshalJSON and
// that a stranger may have written: nothing is ever loaded from elsewhere for it.
func CompileSchema(doc any) (*jsonschema.Schema, error) {
	const url = "mem:///schema"
	c := jsonschema.NewCompiler()
	c.UseLoader(nothing{})
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// nothing loads no schema from anywhere.
type nothing struct{}

func (nothing) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s: schemas are never loaded from elsewhere", url)
}

// schemaError makes short lines of a validation error: at most eight, each with
// the place and the rule.
func schemaError(err error) error {
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return err
	}
	var lines []string
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 && len(lines) < 8 {
			at := "/" + strings.Join(e.InstanceLocation, "/")
			lines = append(lines, at+": "+fit.Clip(e.ErrorKind.LocalizedString(english()), 200))
		}
		for _, c := range e.Causes {
			walk(c)
		}
	}
	walk(ve)
	return errors.New("does not match the schema: " + strings.Join(lines, "; "))
}

// unwrap takes away what models like to put around JSON.
func unwrap(s string) string {
	s = strings.TrimSpace(strings.TrimPrefix(s, "\ufeff"))
	if rest, ok := strings.CutPrefix(s, "<think>"); ok {
		if _, after, ok := strings.Cut(rest, "</think>"); ok {
			s = strings.TrimSpace(after)
		}
	}
	if !strings.HasPrefix(s, "```") || !strings.HasSuffix(s, "```") || len(s) < 6 {
		return s
	}
	body := strings.TrimSuffix(s, "```")
	_, body, ok := strings.Cut(body, "\n") // the opening fence with its language
	if !ok {
		return strings.TrimSpace(strings.Trim(s, "`"))
	}
	return strings.TrimSpace(body)
}

// enforceable reports whether endpoints can hold a model strictly to the
// schema: each object has additionalProperties false and requires everything,
// and nothing is said with the keywords that strict modes refuse.
func enforceable(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if !enforceable(e) {
				return false
			}
		}
	case map[string]any:
		if !closed(v) || slices.ContainsFunc(unenforced, func(k string) bool { return v[k] != nil }) {
			return false
		}
		for k, e := range v {
			if k == "enum" || k == "const" || k == "default" || k == "examples" {
				continue
			}
			if !enforceable(e) {
				return false
			}
		}
	}
	return true
}

// unenforced are keywords that no strict mode takes and that a schema cannot do
// without where it uses them.
var unenforced = []string{"oneOf", "allOf", "not", "if", "dependentRequired", "dependentSchemas", "patternProperties", "prefixItems"}

func closed(schema map[string]any) bool {
	props, isObject := schema["properties"].(map[string]any)
	if !isObject {
		return schema["type"] != "object"
	}
	if extra, ok := schema["additionalProperties"].(bool); !ok || extra {
		return false
	}
	required, _ := schema["required"].([]any)
	return len(required) == len(props)
}
