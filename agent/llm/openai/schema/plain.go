package schema

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A schema is followed maxPlainDepth deep and has at most maxPlainNodes parts. Its descriptions and choices have at most
// maxPlainText bytes together, and so have the names of its properties. Those of tool servers are not to be trusted, and all
// of it goes into a prompt.
const (
	maxPlainDepth = 8
	maxPlainNodes = 1000
	maxPlainText  = 32 << 10
)

// node holds the members of a schema that are read.
type node struct {
	Ref         string                    `json:"$ref"`
	Type        json.RawMessage           `json:"type"`
	Description string                    `json:"description"`
	Enum        []json.RawMessage         `json:"enum"`
	Const       json.RawMessage           `json:"const"`
	Properties  jsontext.Value            `json:"properties"` // an object, in its order
	Required    []string                  `json:"required"`
	Items       json.RawMessage           `json:"items"`
	AllOf       []json.RawMessage         `json:"allOf"`
	AnyOf       []json.RawMessage         `json:"anyOf"`
	OneOf       []json.RawMessage         `json:"oneOf"`
	Defs        map[string]jsontext.Value `json:"$defs"`
	Definitions map[string]jsontext.Value `json:"definitions"`
}

// plainNode holds the members of a schema that are written.
type plainNode struct {
	Type        string         `json:"type"`
	Description string         `json:"description,omitempty"`
	Enum        []string       `json:"enum,omitempty"`
	Properties  jsontext.Value `json:"properties,omitempty"`
	Required    []string       `json:"required,omitempty"`
	Items       *plainNode     `json:"items,omitempty"`
}

// Plain is [Parameters] for Gemini and other services that refuse every request with a tool whose schema has more than a type, a
// description, texts to choose from, properties and items. Of several types or alternatives the first that is not null is kept;
// texts to choose from are kept of all alternatives. What is left out is still checked before the tool is called.
func Plain(raw json.RawMessage) json.RawMessage {
	raw = Parameters(raw)
	var top node
	_ = json.Unmarshal(raw, &top) // Parameters returns an object
	p := &plainer{defs: top.Defs, text: maxPlainText, names: maxPlainText}
	if p.defs == nil {
		p.defs = top.Definitions
	}
	out := p.plain(raw, 0)
	out.Type = "object"
	if out.Properties == nil { // named also where there are none
		out.Properties = jsontext.Value("{}")
	}
	list, err := json.Marshal(out)
	if err != nil {
		return raw
	}
	return list
}

type plainer struct {
	defs   map[string]jsontext.Value
	within []string // references that lead to where it is: one that leads back is not followed
	nodes  int
	text   int // bytes that are left for descriptions and choices
	names  int // and for the names of properties
}

// spend subtracts n bytes from a budget, and reports whether it had as many; if not, the budget stays.
func spend(left *int, n int) bool {
	if n > *left {
		return false
	}
	*left -= n
	return true
}

// plain makes one schema plain. Anything that is no schema is a text.
func (p *plainer) plain(raw json.RawMessage, depth int) *plainNode {
	defer func(n int) { p.within = p.within[:n] }(len(p.within))
	n := p.resolved(raw, depth)
	out := &plainNode{Type: n.kind()}
	if spend(&p.text, len(n.Description)) {
		out.Description = n.Description
	}
	switch out.Type {
	case "object":
		var kept []Member
		for _, m := range membersOf(n.Properties) {
			if !spend(&p.names, len(m.Name)) {
				continue
			}
			value, err := json.Marshal(p.plain(json.RawMessage(m.Value), depth+1))
			if err == nil {
				kept = append(kept, Member{m.Name, value})
			}
		}
		if props, err := objectOfMembers(kept); err == nil && kept != nil {
			out.Properties = props
		}
		for _, name := range n.Required {
			if slices.ContainsFunc(kept, func(m Member) bool { return m.Name == name }) && !slices.Contains(out.Required, name) {
				out.Required = append(out.Required, name)
			}
		}
	case "array":
		out.Items = p.plain(n.Items, depth+1)
	case "string":
		if all := n.choices(); spend(&p.text, len(strings.Join(all, ""))) { // else any text may be
			out.Enum = all
		}
	}
	return out
}

// resolved returns a schema put together with the one that it refers to, its parts, and one of its alternatives.
func (p *plainer) resolved(raw json.RawMessage, depth int) node {
	var n node
	if p.nodes++; depth > maxPlainDepth || p.nodes > maxPlainNodes {
		return n
	}
	if json.Unmarshal(raw, &n) != nil {
		n = readable(raw)
	}
	if at := strings.LastIndexByte(n.Ref, '/'); at >= 0 {
		if slices.Contains(p.within, n.Ref) {
			return node{Type: json.RawMessage(`"object"`), Description: n.Description}
		}
		p.within = append(p.within, n.Ref)
		n.take(p.resolved(json.RawMessage(p.defs[n.Ref[at+1:]]), depth+1))
	}
	for _, part := range n.AllOf {
		n.take(p.resolved(part, depth+1))
	}
	for _, alternatives := range [][]json.RawMessage{n.AnyOf, n.OneOf} {
		var first *node
		for _, a := range alternatives {
			one := p.resolved(a, depth+1)
			switch {
			case one.kind() == "null":
			case first == nil:
				first = &one
			case one.kind() == "string" && first.kind() == "string":
				if len(first.choices()) > 0 && len(one.choices()) > 0 {
					first.Enum, first.Const = slices.Concat(first.Enum, []json.RawMessage{first.Const}, one.Enum, []json.RawMessage{one.Const}), nil
				} else { // any text may be
					first.Enum, first.Const = nil, nil
				}
			}
		}
		if first != nil {
			n.take(*first)
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
	all := membersOf(n.Properties)
	for _, m := range membersOf(one.Properties) {
		if !slices.ContainsFunc(all, func(o Member) bool { return o.Name == m.Name }) {
			all = append(all, m)
		}
	}
	if props, err := objectOfMembers(all); err == nil && all != nil {
		n.Properties = props
	}
}

// choices returns the texts that the schema allows; none if it allows any.
func (n *node) choices() []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, v := range append(slices.Clone(n.Enum), n.Const) {
		var s string
		if json.Unmarshal(v, &s) == nil && !seen[s] {
			out, seen[s] = append(out, s), true
		}
	}
	return out
}

// readable reads a schema some of whose members are of another kind than JSON Schema has them: those that can be read.
func readable(raw json.RawMessage) node {
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

// kind returns the one type of a schema: of several the first that is not null, of none the one that its values or members have.
func (n *node) kind() string {
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
	case n.Properties.Kind() == '{':
		return "object"
	case n.Items != nil:
		return "array"
	}
	for _, v := range append(slices.Clone(n.Enum), n.Const) {
		switch v = bytes.TrimSpace(v); {
		case len(v) == 0 || v[0] == 'n':
		case v[0] == 't' || v[0] == 'f':
			return "boolean"
		case v[0] == '-' || v[0] >= '0' && v[0] <= '9':
			if bytes.ContainsAny(v, ".eE") {
				return "number"
			}
			return "integer"
		case v[0] == '"':
			return "string"
		}
	}
	return "string"
}

// withItems adds "items": {} to each array of a schema that has none: OpenAI refuses the whole request for one such array. The
// order of members stays.
func withItems(raw jsontext.Value, depth int) jsontext.Value {
	if depth > 2*maxPlainDepth || raw.Kind() != '{' || !bytes.Contains(raw, []byte(`"array"`)) {
		return raw
	}
	all, err := Members(raw)
	if err != nil {
		return raw
	}
	list, items := false, false
	for i, m := range all {
		switch m.Name {
		case "type":
			list = strings.Contains(string(m.Value), `"array"`)
		case "items", "additionalProperties":
			all[i].Value = withItems(m.Value, depth+1)
		case "properties", "$defs", "definitions":
			all[i].Value = eachMember(m.Value, depth)
		case "allOf", "anyOf", "oneOf", "prefixItems":
			all[i].Value = eachElement(m.Value, depth)
		}
		items = items || m.Name == "items" || m.Name == "prefixItems"
	}
	if list && !items {
		all = append(all, Member{"items", jsontext.Value("{}")})
	}
	out, err := objectOfMembers(all)
	if err != nil {
		return raw
	}
	return out
}

func eachMember(raw jsontext.Value, depth int) jsontext.Value {
	if raw.Kind() != '{' {
		return raw
	}
	all, err := Members(raw)
	if err != nil {
		return raw
	}
	for i, m := range all {
		all[i].Value = withItems(m.Value, depth+1)
	}
	out, err := objectOfMembers(all)
	if err != nil {
		return raw
	}
	return out
}

func eachElement(raw jsontext.Value, depth int) jsontext.Value {
	var all []jsontext.Value
	if raw.Kind() != '[' || json.Unmarshal(raw, &all) != nil {
		return raw
	}
	for i, v := range all {
		all[i] = withItems(v, depth+1)
	}
	out, err := json.Marshal(all)
	if err != nil {
		return raw
	}
	return out
}
