package llmtest

import (
	"encoding/json"
	"slices"
)

// Least returns a small value that fits a JSON schema: the first of an enum,
// empty texts and lists, zero. It is for models that must be instant, not for
// schemas with patterns and formats.
func Least(schema json.RawMessage) any {
	var s struct {
		Type       any                        `json:"type"`
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
		Items      json.RawMessage            `json:"items"`
		Enum       []any                      `json:"enum"`
		Const      any                        `json:"const"`
		MinItems   int                        `json:"minItems"`
		MinLength  int                        `json:"minLength"`
		Minimum    float64                    `json:"minimum"`
		AnyOf      []json.RawMessage          `json:"anyOf"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil
	}
	is := func(t string) bool {
		list, _ := s.Type.([]any)
		return s.Type == t || slices.Contains(list, any(t))
	}
	switch {
	case s.Const != nil:
		return s.Const
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return Least(s.AnyOf[0])
	case is("object") || s.Properties != nil:
		out := map[string]any{}
		for _, r := range s.Required {
			out[r] = Least(s.Properties[r])
		}
		return out
	case is("array"):
		out := make([]any, s.MinItems)
		for i := range out {
			out[i] = Least(s.Items)
		}
		return out
	case is("string"):
		return string(slices.Repeat([]byte("x"), s.MinLength))
	case is("integer"), is("number"):
		return s.Minimum
	case is("boolean"):
		return false
	default:
		return nil
	}
}
