package toolcall

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"maru/agent/llm"
	"maru/agent/llm/openai/rawjson"
	"maru/agent/llm/openai/schema"
)

// Settle returns the calls that a model means by one that it wrote: under the name of the tool that
// was offered, and with arguments of the form that its schema has. Proxies write several objects
// into one text, or JSON within JSON; templates put a namespace before the name; small models
// give a list of the values, or the value alone.
func Settle(c Call, tools []llm.Tool) []Call {
	c.Name = Offered(c.Name, tools)
	at := slices.IndexFunc(tools, func(t llm.Tool) bool { return t.Name == c.Name })
	if at < 0 {
		return []Call{c}
	}
	takes := takenBy(tools[at].Parameters)
	var all []json.RawMessage
	for _, v := range Values(c.Args) {
		if v = takes.object(v); string(v) == "null" {
			v = json.RawMessage("{}")
		}
		if !slices.ContainsFunc(all, func(o json.RawMessage) bool { return bytes.Equal(o, v) }) {
			all = append(all, v)
		}
	}
	if len(all) > 1 { // an empty object before the arguments says nothing
		all = slices.DeleteFunc(all, func(v json.RawMessage) bool { return string(v) == "{}" })
	}
	if len(all) == 0 {
		return []Call{c}
	}
	var out []Call
	for _, v := range all {
		out = append(out, Call{Name: c.Name, Args: string(v)})
	}
	return out
}

// Offered returns the offered tool that a name means: the name itself, or the one that is a part of
// it between marks that no name has ("functions.calculator", "default_api:calculator").
func Offered(name string, tools []llm.Tool) string {
	parts := append([]string{name}, strings.FieldsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})...)
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		found := ""
		for _, part := range parts {
			for _, t := range tools {
				if !same(part, t.Name) || t.Name == found {
					continue
				}
				if found != "" {
					return name
				}
				found = t.Name
			}
		}
		if found != "" {
			return found
		}
	}
	return name
}

// maxNested bounds how often JSON within JSON is unpacked.
const maxNested = 3

// Values returns the values that are in the text of arguments, one after the other. nil if
// it is none, or one that breaks off.
func Values(text string) []json.RawMessage { return valuesIn(text, 0) }

func valuesIn(text string, depth int) []json.RawMessage {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	var out []json.RawMessage
	dec := json.NewDecoder(strings.NewReader(text))
	for dec.More() {
		var v json.RawMessage
		if dec.Decode(&v) != nil {
			return looseValues(text)
		}
		var inner string
		if json.Unmarshal(v, &inner) == nil && depth < maxNested {
			if nested := valuesIn(inner, depth+1); nested != nil && (nested[0][0] == '{' || nested[0][0] == '[') {
				out = append(out, nested...)
				continue
			}
		}
		out = append(out, v)
	}
	return out
}

// looseValues are objects that are loosely written and nothing else.
func looseValues(text string) []json.RawMessage {
	var out []json.RawMessage
	for text != "" {
		v, n, ok := llm.LooseAt(text)
		if !ok {
			return nil
		}
		out, text = append(out, v), strings.TrimSpace(text[n:])
	}
	return out
}

// takes is what a tool takes, in the order of its schema.
type takes struct {
	names    []string
	required []string
	of       map[string]parameter
}

func takenBy(of json.RawMessage) takes {
	var s struct {
		Properties jsontext.Value `json:"properties"`
		Required   []string       `json:"required"`
	}
	if json.Unmarshal(of, &s) != nil || s.Properties.Kind() != '{' {
		return takes{}
	}
	out := takes{required: s.Required, of: map[string]parameter{}}
	all, err := schema.Members(s.Properties)
	if err != nil {
		return takes{}
	}
	for _, m := range all {
		var p parameter
		_ = json.Unmarshal(m.Value, &p) // a schema that says no type takes any
		out.names, out.of[m.Name] = append(out.names, m.Name), p
	}
	return out
}

// object makes one value the arguments: the object that it is, also within one of the names that
// APIs have for them, a list by the order of the schema, or the value of the only argument.
func (t takes) object(v json.RawMessage) json.RawMessage {
	switch rawjson.Kind(v) {
	case '{':
		of := rawjson.Map(v)
		if len(of) <= 3 {
			for _, name := range []string{"arguments", "parameters", "args", "input"} {
				if inner := rawjson.Map(of[name]); inner != nil && !slices.Contains(t.names, name) {
					return t.object(of[name])
				}
			}
		}
		return t.values(v, of)
	case '[':
		list, _ := rawjson.List(v)
		if len(list) == 1 && rawjson.Kind(list[0]) == '{' {
			return t.object(list[0])
		}
		if len(list) == 0 || len(list) > len(t.names) || len(list) < len(t.required) {
			return v
		}
		return encoded(t.ordered()[:len(list)], list)
	case '"', 't', 'f', '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		name, ok := t.only()
		if said := rawjson.String(v); !ok || strings.HasPrefix(strings.TrimSpace(said), "{") {
			return v // an object that breaks off is no value
		}
		return encoded([]string{name}, []json.RawMessage{v})
	}
	return v
}

// values puts a value in the place of the schema's own words around it.
func (t takes) values(v json.RawMessage, of rawjson.Object) json.RawMessage {
	changed := false
	for name, value := range of {
		inner := rawjson.Map(value)
		if inner["value"] == nil || inner["type"] == nil && inner["description"] == nil || len(inner) > 3 ||
			t.of[name].Type == nil || strings.Contains(string(t.of[name].Type), `"object"`) {
			continue
		}
		of[name], changed = inner["value"], true
	}
	if !changed {
		return v
	}
	out, err := json.Marshal(of)
	if err != nil {
		return v
	}
	return out
}

// ordered returns the names of the arguments, those that are required first.
func (t takes) ordered() []string {
	rest := slices.DeleteFunc(slices.Clone(t.names), func(n string) bool { return slices.Contains(t.required, n) })
	first := slices.DeleteFunc(slices.Clone(t.names), func(n string) bool { return !slices.Contains(t.required, n) })
	return append(first, rest...)
}

// only returns the one argument that must be given, or that there is.
func (t takes) only() (string, bool) {
	switch {
	case len(t.required) == 1:
		return t.required[0], true
	case len(t.required) == 0 && len(t.names) == 1:
		return t.names[0], true
	}
	return "", false
}

func encoded(names []string, values []json.RawMessage) json.RawMessage {
	of := rawjson.Object{}
	for i, name := range names {
		of[name] = values[i]
	}
	out, err := json.Marshal(of)
	if err != nil {
		return json.RawMessage("{}")
	}
	return out
}

// Parameters returns the names of the arguments that a tool's schema has, in its order.
func Parameters(of json.RawMessage) []string { return takenBy(of).names }
