package consent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"maru/agent"
	"maru/agent/tool"
	"maru/phrase"
	"maru/phrase/fit"
	"maru/phrase/intent"
)

// Field is one property of a tool's parameters.
type Field struct {
	Name        string
	Type        string // "string", "integer", "number", "boolean", "array", "object"
	Description string
	Enum        []string
	Required    bool
}

// maxFields bounds the fields of a form.
const maxFields = 25

// Fields reads the parameters of a tool, required fields first, then by name. Unknown
// schema constructs become text fields.
func Fields(parameters json.RawMessage) []Field {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if json.Unmarshal(parameters, &schema) != nil {
		return nil
	}
	var out []Field
	for name, raw := range schema.Properties {
		var p map[string]any // a property may be `true`
		if json.Unmarshal(raw, &p) != nil {
			p = nil
		}
		f := Field{Name: name, Type: typeName(p["type"]), Required: slices.Contains(schema.Required, name)}
		f.Description, _ = p["description"].(string)
		enum, _ := p["enum"].([]any)
		for _, e := range enum {
			f.Enum = append(f.Enum, plain(e))
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Field) int {
		if a.Required != b.Required {
			if a.Required {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out[:min(len(out), maxFields)]
}

// typeName returns the type of a property, the first that is not null if it lists
// several.
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

// plain formats a value for a form field.
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

// Readable describes parameters for a prompt.
func Readable(parameters json.RawMessage) string {
	fields := Fields(parameters)
	if len(fields) == 0 {
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
			b.WriteString(": " + fit.Clip(fit.OneLine(f.Description), 200))
		}
		if len(f.Enum) > 0 {
			b.WriteString(" One of: " + strings.Join(f.Enum, ", "))
		}
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String())
}

// Form returns the form fields for a tool's parameters, filled with the values of a
// call.
func Form(language string, spec tool.Spec, arguments json.RawMessage) []agent.Input {
	fields := Fields(spec.Parameters)
	given := exact(arguments)
	inputs := make([]agent.Input, len(fields))
	for i, f := range fields {
		in := agent.Input{ID: f.Name, Label: f.Name, Hint: fit.Clip(f.Description, 140), Value: plain(given[f.Name]), Required: f.Required, Max: 3000}
		if key := "field." + spec.Name + "." + f.Name; phrase.Has(key) { // the description is written for models
			in.Label, in.Hint = phrase.Say(language, key), ""
		}
		switch {
		case f.Type == "boolean":
			in.Options = []agent.Option{{Value: "true", Label: phrase.Say(language, "agent.yes")}, {Value: "false", Label: phrase.Say(language, "agent.no")}}
		case len(f.Enum) > 0:
			for _, e := range f.Enum {
				in.Options = append(in.Options, agent.Option{Value: e, Label: e})
			}
		case f.Type == "array" || f.Type == "object" || len([]rune(in.Value)) > 80:
			in.Long = true
		}
		inputs[i] = in
	}
	return inputs
}

// exact decodes arguments with their numbers as they are written: an account number or the id of a
// message has more digits than a float64. Arguments that are no JSON object have no values.
func exact(arguments json.RawMessage) map[string]any {
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	var out map[string]any
	if d.Decode(&out) != nil || out == nil {
		return map[string]any{}
	}
	return out
}

// Fill turns the values of a form into arguments. Empty fields are omitted;
// unreadable ones are omitted and returned as faults; fields that the form did not show
// keep their values.
func Fill(parameters, before json.RawMessage, values map[string]string) (json.RawMessage, []tool.Fault) {
	out := exact(before)
	var wrong []tool.Fault
	for _, f := range Fields(parameters) {
		text, shown := values[f.Name]
		if !shown {
			continue
		}
		delete(out, f.Name)
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		if v, ok := f.parse(text); ok {
			out[f.Name] = v
		} else {
			wrong = append(wrong, tool.Unfit(f.Name, f.Type))
		}
	}
	raw, err := json.Marshal(out)
	if err != nil { // cannot happen: the values were JSON
		raw = json.RawMessage("{}")
	}
	return raw, wrong
}

// parse reads the text of a field; ok is false if it is not of the field's type.
func (f Field) parse(text string) (v any, ok bool) {
	switch f.Type {
	case "integer", "number":
		n := strings.ReplaceAll(text, ",", "")
		if _, err := strconv.ParseFloat(n, 64); err != nil || !json.Valid([]byte(n)) {
			return nil, false
		}
		return json.Number(n), true
	case "boolean":
		said, _ := intent.Decide(text)
		switch {
		case said == intent.Yes, strings.EqualFold(text, "true"):
			return true, true
		case said == intent.No, strings.EqualFold(text, "false"):
			return false, true
		}
		return nil, false
	case "array":
		if !strings.HasPrefix(text, "[") {
			return listed(text), true
		}
		return json.RawMessage(text), json.Valid([]byte(text))
	case "object":
		return json.RawMessage(text), json.Valid([]byte(text))
	}
	return text, true
}

// listed splits a list at commas and line breaks.
func listed(text string) []string {
	var list []string
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == '\n' }) {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}
