package orchestrator

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"maru/agent"
)

// field is one property of a tool's parameters.
type field struct {
	Name        string
	Type        string // "string", "integer", "number", "boolean", "array", "object"
	Description string
	Enum        []string
	Required    bool
}

// maxFields bounds the fields of a form.
const maxFields = 25

// fieldsOf reads the parameters of a tool: required fields first, then by name.
func fieldsOf(parameters json.RawMessage) ([]field, error) {
	var schema struct {
		Properties map[string]struct {
			Type        any    `json:"type"`
			Description string `json:"description"`
			Enum        []any  `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if len(parameters) == 0 {
		return nil, nil
	}
	if err := json.Unmarshal(parameters, &schema); err != nil {
		return nil, fmt.Errorf("parameters: %w", err)
	}
	var out []field
	for name, p := range schema.Properties {
		f := field{Name: name, Type: typeName(p.Type), Description: p.Description, Required: slices.Contains(schema.Required, name)}
		for _, e := range p.Enum {
			f.Enum = append(f.Enum, plain(e))
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b field) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out[:min(len(out), maxFields)], nil
}

// typeName is the type of a property; of several the first that is not null.
func typeName(t any) string {
	switch t := t.(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if s, ok := one.(string); ok && s != "null" {
				return s
			}
		}
	}
	return "string"
}

// plain writes a value as it stands in a field of a form.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

// readable describes parameters in words.
func readable(parameters json.RawMessage) string {
	fields, err := fieldsOf(parameters)
	if err != nil || len(fields) == 0 {
		return "(none)"
	}
	var b strings.Builder
	for _, f := range fields {
		need := "optional"
		if f.Required {
			need = "required"
		}
		fmt.Fprintf(&b, "- %s (%s, %s)", f.Name, f.Type, need)
		if f.Description != "" {
			b.WriteString(": " + clip(strings.Join(strings.Fields(f.Description), " "), 200))
		}
		if len(f.Enum) > 0 {
			b.WriteString(" One of: " + strings.Join(f.Enum, ", "))
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// formOf makes a form of a tool's parameters, filled with the values of a call.
func formOf(parameters, arguments json.RawMessage) ([]agent.Input, error) {
	fields, err := fieldsOf(parameters)
	if err != nil {
		return nil, err
	}
	var given map[string]any
	if json.Unmarshal(arguments, &given) != nil {
		given = nil
	}
	inputs := make([]agent.Input, len(fields))
	for i, f := range fields {
		in := agent.Input{ID: f.Name, Label: f.Name, Hint: clip(f.Description, 140), Value: plain(given[f.Name]), Required: f.Required, Max: 3000}
		switch {
		case f.Type == "boolean":
			in.Options = []agent.Option{{Value: "true", Label: "true"}, {Value: "false", Label: "false"}}
		case len(f.Enum) > 0:
			for _, e := range f.Enum {
				in.Options = append(in.Options, agent.Option{Value: e, Label: e})
			}
		case f.Type == "array" || f.Type == "object" || len([]rune(in.Value)) > 80:
			in.Long = true
		}
		inputs[i] = in
	}
	return inputs, nil
}

// argumentsOf turns the values of a form back into arguments. Empty fields are
// left out; what the form did not show stays as it was.
func argumentsOf(parameters, before json.RawMessage, values map[string]string) (json.RawMessage, error) {
	fields, err := fieldsOf(parameters)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	if json.Unmarshal(before, &out) != nil || out == nil {
		out = map[string]any{}
	}
	for _, f := range fields {
		text, shown := values[f.Name]
		if !shown {
			continue
		}
		if text = strings.TrimSpace(text); text == "" {
			delete(out, f.Name)
			continue
		}
		v, err := f.parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out[f.Name] = v
	}
	return json.Marshal(out)
}

// parse reads what stands in a field.
func (f field) parse(text string) (any, error) {
	var v any
	switch f.Type {
	case "integer", "number":
		n := strings.ReplaceAll(text, ",", "")
		if _, err := strconv.ParseFloat(n, 64); err != nil || !json.Valid([]byte(n)) {
			return nil, fmt.Errorf("%q is not a number", clip(text, 40))
		}
		return json.Number(n), nil
	case "boolean":
		switch strings.ToLower(text) {
		case "true", "yes", "예", "네":
			return true, nil
		case "false", "no", "아니요", "아니오":
			return false, nil
		}
		return nil, fmt.Errorf("%q is neither true nor false", clip(text, 40))
	case "array":
		if strings.HasPrefix(text, "[") {
			if json.Unmarshal([]byte(text), &v) != nil {
				return nil, errors.New("not a JSON list")
			}
			return v, nil
		}
		var list []string
		for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' }) {
			if part = strings.TrimSpace(part); part != "" {
				list = append(list, part)
			}
		}
		return list, nil
	case "object":
		if json.Unmarshal([]byte(text), &v) != nil {
			return nil, errors.New("not a JSON object")
		}
		return v, nil
	}
	return text, nil
}
