package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"maru/agent/llm"
)

// Filling is a call's arguments with the defaults that the tool's parameters declare for absent values. A server applies
// these itself, so a question that left them out would hide what the call does.
type Filling struct {
	Arguments json.RawMessage
	Added     []string // the defaults in it, such as `to = "all@company.example"`

	// Open lists defaults that the server may or may not apply: those of one of several alternatives, contradicting ones and
	// those inside an absent object.
	Open []string
	// Unknown says that finding the defaults takes more work than maxFilling, and that none is filled in.
	Unknown bool
}

// Filled returns the arguments of [Spec.Fill].
func (s Spec) Filled(arguments json.RawMessage) json.RawMessage { return s.Fill(arguments).Arguments }

// Fill fills in the arguments of a call. Defaults of null are left out. Arguments that are no JSON, and those for
// which maxFilling does not suffice, stay as they are.
func (s Spec) Fill(arguments json.RawMessage) Filling {
	root, err := loosely(s.Parameters)
	if err != nil {
		return Filling{Arguments: arguments}
	}
	f, whole := &filler{left: maxFilling}, arguments
	if blank := bytes.TrimSpace(arguments); len(blank) == 0 || string(blank) == "null" { // what models write for no values
		if whole = f.value(json.RawMessage("{}"), rules{sure: []*jsonschema.Schema{root}}, "", 0); string(whole) == "{}" {
			whole = arguments
		}
	} else {
		whole = f.value(arguments, rules{sure: []*jsonschema.Schema{root}}, "", 0)
	}
	if f.left < 0 {
		return Filling{Arguments: arguments, Unknown: true}
	}
	slices.Sort(f.open)
	return Filling{Arguments: whole, Added: f.added, Open: slices.Compact(f.open)}
}

// maxFilling bounds the work of filling in one call, in bytes of defaults and in 64 a schema visited: definitions that refer to each
// other, or to themselves, can declare defaults that double at every level. A validation counts perValidation and the size of its
// value by validated. Plain reading is bounded by the size of the arguments and maxDepth.
const (
	maxFilling    = 2 << 20
	perValidation = 64
	validated     = 16 // bytes of a value for each that counts: a validator skips most of a long text
)

// loosely compiles parameters with the rules of the newest draft where it can: older ones ignore the default beside a
// reference, and servers do not.
func loosely(parameters json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(parameters))
	if err != nil {
		return nil, err
	}
	if object, ok := doc.(map[string]any); ok && object["$schema"] != nil {
		newest := maps.Clone(object)
		delete(newest, "$schema")
		if s, err := llm.CompileSchema(newest); err == nil {
			return s, nil
		}
	}
	return llm.CompileSchema(doc)
}

// filler fills in values by a schema, until left is used up.
type filler struct {
	left        int // of maxFilling, below 0 once it has stopped
	added, open []string
}

// spend reports whether n more are within the bound.
func (f *filler) spend(n int) bool {
	if f.left >= 0 {
		f.left -= n
	}
	return f.left >= 0
}

// tell describes a default.
func tell(path string, value json.RawMessage) string { return path + " = " + string(value) }

// value fills in one value.
func (f *filler) value(raw json.RawMessage, r rules, path string, depth int) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if depth > maxDepth || r.none() || len(raw) == 0 || raw[0] != '{' && raw[0] != '[' || f.left < 0 {
		return raw
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return raw
	}
	r = f.apply(r, given{v, len(raw)}, depth)
	if raw[0] == '{' {
		return f.object(raw, r, path, depth)
	}
	return f.list(raw, r, path, depth)
}

// object fills in the members of an object and keeps their order.
func (f *filler) object(raw json.RawMessage, r rules, path string, depth int) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token() // the bracket of what is valid
	have := map[string]bool{}
	var members [][]byte
	changed := false
	add := func(name string, value json.RawMessage) {
		have[name] = true
		members = append(members, slices.Concat(encoded(name), []byte(":"), value))
	}
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return raw
		}
		whole := f.value(value, r.member(name), join(path, name), depth+1)
		changed = changed || !bytes.Equal(whole, value)
		add(name, whole)
	}
	for _, name := range r.names() {
		if have[name] || !f.spend(len(name)) {
			continue
		}
		of, at := r.member(name), join(path, name)
		value, open := f.preset(of, depth)
		for _, o := range open {
			f.open = append(f.open, tell(at, o))
		}
		switch {
		case value != nil:
			whole := f.value(value, of, at, depth+1)
			if !f.spend(len(whole)) {
				return raw
			}
			changed = true
			add(name, whole)
			f.added = append(f.added, tell(at, whole))
		case len(open) == 0:
			f.inside(of, at, 0)
		}
	}
	if !changed {
		return raw
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}"))
}

// list fills in the elements of an array.
func (f *filler) list(raw json.RawMessage, r rules, path string, depth int) json.RawMessage {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return raw
	}
	changed := false
	whole := make([][]byte, len(elements))
	for i, e := range elements {
		whole[i] = f.value(e, r.element(i), fmt.Sprintf("%s[%d]", path, i), depth+1)
		changed = changed || !bytes.Equal(whole[i], e)
	}
	if !changed {
		return raw
	}
	return slices.Concat([]byte("["), bytes.Join(whole, []byte(",")), []byte("]"))
}

// preset returns the default of an absent value, nil if there is none or it cannot be known which of open it is.
func (f *filler) preset(r rules, depth int) (value json.RawMessage, open []json.RawMessage) {
	var sure []json.RawMessage
	for _, s := range r.sure { // the one at the place itself goes over those of its definition
		sure = f.addDefault(sure, s)
	}
	all := f.apply(r, given{}, depth)
	if len(sure) == 0 {
		for _, s := range all.sure {
			sure = f.addDefault(sure, s)
		}
	}
	for _, s := range all.maybe {
		open = f.addDefault(open, s)
	}
	switch {
	case len(sure) == 1:
		return sure[0], nil
	case len(sure) > 1:
		return nil, append(sure, open...)
	}
	return nil, open
}

// maxInside bounds how deep an absent object is searched for defaults.
const maxInside = 2

// inside notes the defaults inside of an absent object: some servers make one for them.
func (f *filler) inside(r rules, path string, depth int) {
	if depth >= maxInside || r.none() || !f.spend(len(path)) {
		return
	}
	r = f.apply(r, given{}, depth)
	for _, name := range r.names() {
		of, at := r.member(name), join(path, name)
		value, open := f.preset(of, depth)
		if value != nil {
			open = append(open, value)
		}
		for _, o := range open {
			f.open = append(f.open, tell(at, o))
		}
		if len(open) == 0 {
			f.inside(of, at, depth+1)
		}
	}
}

// addDefault adds a schema's default unless it is null or there already.
func (f *filler) addDefault(to []json.RawMessage, s *jsonschema.Schema) []json.RawMessage {
	if s.Default == nil || *s.Default == nil {
		return to
	}
	raw := encoded(*s.Default)
	if !f.spend(len(raw)) || slices.ContainsFunc(to, func(o json.RawMessage) bool { return bytes.Equal(o, raw) }) {
		return to
	}
	return append(to, raw)
}

// encoded returns a decoded JSON value as JSON again, without HTML escapes.
func encoded(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return json.RawMessage("null") // cannot be
	}
	return bytes.TrimSpace(b.Bytes())
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
