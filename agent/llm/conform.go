package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// conformed makes a value what its schema allows where there is one way to: a name or a word in
// other letters, a member too much, a number or a yes as text, an object around the object. Small
// models and servers that do not hold to a schema write so. What cannot be made so stays.
func conformed(v any, schema map[string]any) any {
	if schema == nil {
		return v
	}
	v = unwrapped(v, schema)
	switch v := v.(type) {
	case map[string]any:
		return members(v, schema)
	case []any:
		items, _ := schema["items"].(map[string]any)
		for i := range v {
			v[i] = conformed(v[i], items)
		}
		return v
	}
	return scalar(v, schema)
}

func members(v, schema map[string]any) map[string]any {
	props, _ := schema["properties"].(map[string]any)
	if props == nil {
		return v
	}
	out := make(map[string]any, len(v))
	for name, value := range v {
		if _, known := props[name]; !known {
			if other := alone(name, props); other != "" && v[other] == nil {
				name = other
			} else if schema["additionalProperties"] == false {
				continue
			}
		}
		of, _ := props[name].(map[string]any)
		out[name] = conformed(value, of)
	}
	return out
}

// alone returns the one name that is the same in other letters.
func alone(name string, props map[string]any) string {
	found := ""
	for other := range props {
		if strings.EqualFold(bare(other), bare(name)) {
			if found != "" {
				return ""
			}
			found = other
		}
	}
	return found
}

// bare returns a name without what is between its words.
func bare(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(name)
}

// unwrapped takes an object out of the only member of one, or of a list, around it.
func unwrapped(v any, schema map[string]any) any {
	props, _ := schema["properties"].(map[string]any)
	if props == nil {
		return v
	}
	if list, ok := v.([]any); ok && len(list) == 1 {
		v = list[0]
	}
	outer, ok := v.(map[string]any)
	if !ok || len(outer) != 1 {
		return v
	}
	for name, inner := range outer {
		known := name
		if props[name] == nil {
			known = alone(name, props)
		}
		of, _ := props[known].(map[string]any) // one that is no object cannot be what is meant
		if _, isObject := inner.(map[string]any); isObject && of["properties"] == nil && of["type"] != "object" {
			return inner
		}
	}
	return v
}

func scalar(v any, schema map[string]any) any {
	if list, ok := schema["enum"].([]any); ok {
		said, ok := v.(string)
		if !ok || slices.Contains(list, any(said)) {
			return v
		}
		same := slices.DeleteFunc(slices.Clone(list), func(e any) bool {
			word, ok := e.(string)
			return !ok || !strings.EqualFold(strings.TrimSpace(said), word)
		})
		if len(same) == 1 {
			return same[0]
		}
		return v
	}
	said, isText := v.(string)
	said = strings.TrimSpace(said)
	switch schema["type"] {
	case "boolean":
		if b, err := strconv.ParseBool(strings.ToLower(said)); isText && err == nil && len(said) > 1 {
			return b
		}
	case "number", "integer":
		if isText && json.Valid([]byte(said)) && said != "" && strings.IndexByte("-0123456789", said[0]) >= 0 {
			return json.Number(said)
		}
	case "string":
		switch v := v.(type) {
		case json.Number, bool:
			return fmt.Sprint(v)
		}
	}
	return v
}

// fitting returns the one value in a reply that fits a shape, loosely written or not.
func (s compiledShape) fitting(reply string, check *jsonschema.Schema) (json.RawMessage, bool) {
	var schema map[string]any
	if json.Unmarshal(s.schema.JSON, &schema) != nil {
		return nil, false
	}
	var found json.RawMessage
	for _, text := range values(reply) {
		if checkDepth(text) != nil { // also names that are given twice
			continue
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.UseNumber()
		var v any
		if dec.Decode(&v) != nil {
			continue
		}
		v = conformed(v, schema)
		if check.Validate(v) != nil {
			continue
		}
		out, err := json.Marshal(v)
		if err != nil || found != nil && !bytes.Equal(found, out) {
			return nil, false
		}
		found = out
	}
	return found, found != nil
}
