package tool

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Filled returns arguments with the defaults that the parameters declare for absent values. A server
// applies these itself, so a question that left them out would hide what the call does. Defaults of
// null are left out. Arguments that are no JSON, and those whose defaults exceed maxFilling, are returned
// as they are.
func (s Spec) Filled(arguments json.RawMessage) json.RawMessage {
	var root parameters
	if json.Unmarshal(s.Parameters, &root) != nil {
		return arguments
	}
	f, whole := &filler{root: root, left: maxFilling}, arguments
	if blank := bytes.TrimSpace(arguments); len(blank) == 0 || string(blank) == "null" { // what models write for no values
		if whole = f.object(json.RawMessage("{}"), root, 0); string(whole) == "{}" {
			return arguments
		}
	} else {
		whole = f.value(arguments, root, 0)
	}
	if f.left < 0 {
		return arguments
	}
	return whole
}

// maxFilling bounds the work of filling in one call, in bytes of schema read and of values written: definitions
// that refer to each other, or to themselves, can declare defaults that double at every level.
const maxFilling = 2 << 20

// parameters is the part of a JSON Schema that declares defaults.
type parameters struct {
	Ref         string                     `json:"$ref"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Items       json.RawMessage            `json:"items"`
	Default     json.RawMessage            `json:"default"`
	Defs        map[string]json.RawMessage `json:"$defs"`
	Definitions map[string]json.RawMessage `json:"definitions"`
}

// filler fills in values by a schema, until left is used up.
type filler struct {
	root parameters
	left int // bytes that it may still read and write, below 0 once it has stopped
}

// spend reports whether n more bytes are within the bound.
func (f *filler) spend(n int) bool {
	if f.left >= 0 {
		f.left -= n
	}
	return f.left >= 0
}

// read returns a part of the schema with its reference to a definition resolved. A part that is no
// object declares nothing.
func (f *filler) read(raw json.RawMessage) (p parameters) {
	if len(raw) == 0 || !f.spend(len(raw)) || json.Unmarshal(raw, &p) != nil {
		return parameters{}
	}
	for prefix, defs := range map[string]map[string]json.RawMessage{"#/$defs/": f.root.Defs, "#/definitions/": f.root.Definitions} {
		var of parameters
		if name, ok := strings.CutPrefix(p.Ref, prefix); ok && f.spend(len(defs[name])) && json.Unmarshal(defs[name], &of) == nil {
			if len(p.Default) > 0 {
				of.Default = p.Default
			}
			return of
		}
	}
	return p
}

// value fills in one value.
func (f *filler) value(raw json.RawMessage, p parameters, depth int) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	switch {
	case depth > maxDepth || f.left < 0 || !json.Valid(raw):
		return raw
	case raw[0] == '{' && len(p.Properties) > 0:
		return f.object(raw, p, depth)
	case raw[0] == '[' && len(p.Items) > 0:
		return f.list(raw, f.read(p.Items), depth)
	}
	return raw
}

// object fills in the members of an object and keeps their order.
func (f *filler) object(raw json.RawMessage, p parameters, depth int) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	_, _ = d.Token() // the bracket of what is valid
	have := map[string]bool{}
	var members [][]byte
	changed := false
	add := func(name string, value json.RawMessage) {
		key, _ := json.Marshal(name) // a string always encodes
		have[name] = true
		members = append(members, slices.Concat(key, []byte(":"), value))
	}
	for d.More() {
		token, err := d.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || d.Decode(&value) != nil {
			return raw
		}
		whole := f.value(value, f.read(p.Properties[name]), depth+1)
		changed = changed || !bytes.Equal(whole, value)
		add(name, whole)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Properties)) {
		of := f.read(p.Properties[name])
		if !have[name] && len(of.Default) > 0 && string(of.Default) != "null" {
			whole := f.value(of.Default, of, depth+1)
			if !f.spend(len(whole)) {
				return raw
			}
			changed = true
			add(name, whole)
		}
	}
	if !changed {
		return raw
	}
	return slices.Concat([]byte("{"), bytes.Join(members, []byte(",")), []byte("}"))
}

// list fills in the elements of an array.
func (f *filler) list(raw json.RawMessage, p parameters, depth int) json.RawMessage {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return raw
	}
	changed := false
	whole := make([][]byte, len(elements))
	for i, e := range elements {
		whole[i] = f.value(e, p, depth+1)
		changed = changed || !bytes.Equal(whole[i], e)
	}
	if !changed {
		return raw
	}
	return slices.Concat([]byte("["), bytes.Join(whole, []byte(",")), []byte("]"))
}
