package workflow

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"maru/agent/llm"
	"maru/agent/tool"
	"maru/phrase"
)

// checker checks JSON values by one JSON Schema.
type checker struct {
	schema  *jsonschema.Schema
	members []string // of the values, for suggestions
}

func newChecker(schema []byte) (*checker, error) {
	s, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	compiled, err := llm.CompileSchema(s)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	root, _ := s.(map[string]any)
	properties, _ := root["properties"].(map[string]any)
	return &checker{compiled, slices.Sorted(maps.Keys(properties))}, nil
}

// problems returns what is wrong with a value.
func (c *checker) problems(value []byte) ([]Problem, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return nil, err
	}
	return flatten(c.schema.Validate(doc), c.members), nil
}

// flatten returns the leaves of a validation error. members are the names that
// the value may have, for suggestions.
func flatten(err error, members []string) []Problem {
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		if err == nil {
			return nil
		}
		return []Problem{problem("", phrase.Sentence{}, phrase.Raw(err.Error()))}
	}
	if len(ve.Causes) > 0 {
		var out []Problem
		for _, c := range ve.Causes {
			out = append(out, flatten(c, members)...)
		}
		return out
	}
	pointer := ""
	for _, p := range ve.InstanceLocation {
		pointer += "/" + escapePointer(p)
	}
	switch k := ve.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		var out []Problem
		for _, name := range k.Properties {
			hint := phrase.Of("definition.not_of_type.do")
			if near := Nearest(name, members); len(near) > 0 {
				hint = meant(near)
			}
			out = append(out, problem(pointer+"/"+escapePointer(name), hint, phrase.Of("definition.not_of_type")))
		}
		return out
	case *kind.Required:
		return []Problem{problem(pointer, phrase.Of("definition.lacks.do"), phrase.Of("definition.lacks", strings.Join(k.Missing, ", ")))}
	case *kind.Type:
		return []Problem{problem(pointer, phrase.Sentence{}, phrase.Of("definition.of_type", k.Got, strings.Join(k.Want, ", ")))}
	case *kind.Enum:
		want := make([]string, len(k.Want))
		for i, w := range k.Want {
			want[i] = fmt.Sprint(w)
		}
		return []Problem{problem(pointer, phrase.Sentence{}, phrase.Of("definition.one_of", strings.Join(want, ", ")))}
	case *kind.Pattern:
		return []Problem{problem(pointer, phrase.Sentence{}, phrase.Of("definition.pattern", k.Got, k.Want))}
	case *kind.MinLength:
		return []Problem{problem(pointer, phrase.Sentence{}, phrase.Of("definition.short", k.Got, k.Want))}
	}
	return []Problem{problem(pointer, phrase.Sentence{}, tool.Wants(ve.ErrorKind))}
}

// The words of JSON pointers (RFC 6901). Made once: a definition has thousands.
var pointerEscape, pointerUnescape = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

func escapePointer(s string) string { return pointerEscape.Replace(s) }

func unescapePointer(s string) string { return pointerUnescape.Replace(s) }
