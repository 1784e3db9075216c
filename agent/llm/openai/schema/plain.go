package schema

import (
	"encoding/json"
	"slices"
	"strings"
)

// A schema is followed this deep, and no further once it has this many parts: those of tool servers are not to be trusted.
const (
	maxPlainDepth = 8
	maxPlainNodes = 1000
)

// node is what a plain schema keeps of one, and what it is made of.
type node struct {
	Ref         string                     `json:"$ref"`
	Type        json.RawMessage            `json:"type"`
	Description string                     `json:"description"`
	Enum        []json.RawMessage          `json:"enum"`
	Const       json.RawMessage            `json:"const"`
	Properties  map[string]json.RawMessage `json:"properties"`
	Required    []string                   `json:"required"`
	Items       json.RawMessage            `json:"items"`
	AllOf       []json.RawMessage          `json:"allOf"`
	AnyOf       []json.RawMessage          `json:"anyOf"`
	OneOf       []json.RawMessage          `json:"oneOf"`
	Defs        map[string]json.RawMessage `json:"$defs"`
	Definitions map[string]json.RawMessage `json:"definitions"`
}

// plainNode is a schema of which every endpoint understands all members.
type plainNode struct {
	Type        string                `json:"type"`
	Description string                `json:"description,omitempty"`
	Enum        []string              `json:"enum,omitempty"`
	Properties  map[string]*plainNode `json:"properties,omitempty"`
	Required    []string              `json:"required,omitempty"`
	Items       *plainNode            `json:"items,omitempty"`
}

// Plain is [Parameters] in the few words that Gemini and others take, which refuse every request that offers a tool with more
// (additionalProperties, $ref, const, a list of types): one type, a description, texts to choose from, properties and items. Of
// alternatives the first that is not null is kept, of an enum the texts. What is left out is still checked before the tool is called.
func Plain(raw json.RawMessage) json.RawMessage {
	raw = Parameters(raw)
	var top node
	_ = json.Unmarshal(raw, &top) // Parameters returns an object
	p := &plainer{defs: top.Defs}
	if p.defs == nil {
		p.defs = top.Definitions
	}
	out := p.plain(raw, 0)
	out.Type = "object"
	if out.Properties == nil { // named also where there are none
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	list, err := json.Marshal(out)
	if err != nil {
		return raw
	}
	return list
}

type plainer struct {
	defs   map[string]json.RawMessage
	within []string // references that lead to where it is: one that leads back is not followed
	nodes  int
}

// plain makes one schema plain. Anything that is no schema is a text.
func (p *plainer) plain(raw json.RawMessage, depth int) *plainNode {
	defer func(n int) { p.within = p.within[:n] }(len(p.within))
	n := p.resolved(raw, depth)
	out := &plainNode{Type: n.kind(), Description: n.Description}
	switch out.Type {
	case "object":
		for name, prop := range n.Properties {
			if out.Properties == nil {
				out.Properties = map[string]*plainNode{}
			}
			out.Properties[name] = p.plain(prop, depth+1)
		}
		for _, name := range n.Required {
			if out.Properties[name] != nil && !slices.Contains(out.Required, name) {
				out.Required = append(out.Required, name)
			}
		}
	case "array":
		out.Items = p.plain(n.Items, depth+1)
	case "string":
		for _, v := range append(n.Enum, n.Const) {
			var s string
			if json.Unmarshal(v, &s) == nil && s != "" {
				out.Enum = append(out.Enum, s)
			}
		}
	}
	return out
}

// resolved is a schema with the one that it refers to, its parts, and the first of its alternatives put together.
func (p *plainer) resolved(raw json.RawMessage, depth int) node {
	var n node
	if p.nodes++; depth > maxPlainDepth || p.nodes > maxPlainNodes {
		return n
	}
	if json.Unmarshal(raw, &n) != nil {
		n = member(raw)
	}
	if at := strings.LastIndexByte(n.Ref, '/'); at >= 0 {
		if slices.Contains(p.within, n.Ref) {
			return node{Type: json.RawMessage(`"object"`), Description: n.Description}
		}
		p.within = append(p.within, n.Ref)
		n.take(p.resolved(p.defs[n.Ref[at+1:]], depth+1))
	}
	for _, part := range n.AllOf {
		n.take(p.resolved(part, depth+1))
	}
	for _, alternatives := range [][]json.RawMessage{n.AnyOf, n.OneOf} {
		for _, a := range alternatives {
			if one := p.resolved(a, depth+1); one.kind() != "null" {
				n.take(one)
				break
			}
		}
	}
	return n
}

// take adds what another schema says and this one does not.
func (n *node) take(one node) {
	if n.Type == nil {
		n.Type = one.Type
	}
	if n.Description == "" {
		n.Description = one.Description
	}
	if n.Items == nil {
		n.Items = one.Items
	}
	if n.Const == nil {
		n.Const = one.Const
	}
	n.Enum, n.Required = append(n.Enum, one.Enum...), append(n.Required, one.Required...)
	for name, prop := range one.Properties {
		if n.Properties == nil {
			n.Properties = map[string]json.RawMessage{}
		}
		if n.Properties[name] == nil {
			n.Properties[name] = prop
		}
	}
}

// member reads a schema some of whose members are of another kind than JSON Schema has them: each by itself.
func member(raw json.RawMessage) node {
	var all map[string]json.RawMessage
	var n node
	if json.Unmarshal(raw, &all) != nil {
		return n // true, false, or no schema
	}
	for name, v := range all {
		one, err := json.Marshal(map[string]json.RawMessage{name: v})
		if err == nil {
			_ = json.Unmarshal(one, &n) // what cannot be read is left out
		}
	}
	return n
}

// kind is the one type of a schema: of several the first that is not null, of none the one that its members tell.
func (n node) kind() string {
	var one string
	var several []string
	_ = json.Unmarshal(n.Type, &one)
	_ = json.Unmarshal(n.Type, &several)
	for _, t := range append([]string{one}, several...) {
		if slices.Contains([]string{"string", "number", "integer", "boolean", "array", "object"}, t) {
			return t
		}
	}
	switch {
	case one == "null" || len(several) > 0:
		return "null"
	case n.Properties != nil:
		return "object"
	case n.Items != nil:
		return "array"
	}
	return "string"
}

// withItems adds to each list of a schema that does not say what is in it that anything may be: OpenAI refuses the whole request
// for one that does not.
func withItems(raw json.RawMessage, depth int) json.RawMessage {
	var all map[string]json.RawMessage
	if depth > 2*maxPlainDepth || json.Unmarshal(raw, &all) != nil {
		return raw
	}
	changed := false
	put := func(name string, v json.RawMessage) {
		if string(v) != string(all[name]) {
			all[name], changed = v, true
		}
	}
	if strings.Contains(string(all["type"]), `"array"`) && all["items"] == nil && all["prefixItems"] == nil {
		put("items", json.RawMessage("{}"))
	}
	for _, name := range []string{"properties", "$defs", "definitions"} {
		var named map[string]json.RawMessage
		if json.Unmarshal(all[name], &named) != nil {
			continue
		}
		inner := false
		for k, v := range named {
			if w := withItems(v, depth+1); string(w) != string(v) {
				named[k], inner = w, true
			}
		}
		if list, err := json.Marshal(named); inner && err == nil {
			put(name, list)
		}
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf", "prefixItems"} {
		var list []json.RawMessage
		if json.Unmarshal(all[name], &list) != nil {
			continue
		}
		inner := false
		for i, v := range list {
			if w := withItems(v, depth+1); string(w) != string(v) {
				list[i], inner = w, true
			}
		}
		if out, err := json.Marshal(list); inner && err == nil {
			put(name, out)
		}
	}
	for _, name := range []string{"items", "additionalProperties"} {
		if all[name] != nil {
			put(name, withItems(all[name], depth+1))
		}
	}
	if !changed {
		return raw
	}
	out, err := json.Marshal(all)
	if err != nil {
		return raw
	}
	return out
}
