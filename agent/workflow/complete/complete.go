// Package complete proposes what may follow at a place of a workflow definition that somebody writes: names and values
// from the definition's JSON Schema, the config of the node's type, the nodes of the text, and the tools and workflows
// that there are. The text may be unfinished or broken.
//
// It must not check or run definitions (maru/agent/workflow does), and it knows no editor.
package complete

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"maru/agent/workflow"
)

// most bounds the proposals of one request.
const most = 60

// Known holds what definitions may refer to.
type Known struct {
	Types     *workflow.Registry
	Tools     []string // by name
	Workflows []string // by ID
}

// Proposal is what may be written at a place.
type Proposal struct {
	Label string // what people choose from
	About string // one line, may be ""
	Text  string // that replaces the word at the cursor
	Back  int    // characters that the cursor moves back afterwards, into quotes or braces
}

// Proposals are the proposals for a place: they replace the bytes of the text from From to To.
type Proposals struct {
	From, To int
	List     []Proposal
}

// At returns proposals for an offset of a text, in bytes, and none outside the text.
func At(text string, offset int, k Known) (Proposals, error) {
	if offset < 0 || offset > len(text) || len(text) > workflow.MaxSize {
		return Proposals{}, nil
	}
	schema, err := workflow.JSONSchema(k.Types)
	if err != nil {
		return Proposals{}, fmt.Errorf("complete: %w", err)
	}
	var root object
	if err := json.Unmarshal(schema, &root); err != nil {
		return Proposals{}, fmt.Errorf("complete: %w", err)
	}
	s := scan(text, offset)
	w := writer{known: k, root: root, scanner: s}
	out := Proposals{From: s.spot.from, To: s.spot.to}
	if len(s.spot.stack) > 0 {
		out.List = s.spot.matching(w.list())
	}
	return out, nil
}

// matching keeps the proposals that begin with what was typed, or if none does, those that contain it.
func (p spot) matching(all []Proposal) []Proposal {
	typed := strings.ToLower(p.typed)
	var first, second []Proposal
	for _, one := range all {
		switch label := strings.ToLower(one.Label); {
		case strings.HasPrefix(label, typed):
			first = append(first, one)
		case strings.Contains(label, typed):
			second = append(second, one)
		}
	}
	if len(first) == 0 {
		first = second
	}
	return first[:min(len(first), most)]
}

type object = map[string]any

// writer proposes for one spot.
type writer struct {
	*scanner

	known Known
	root  object
}

// list returns every valid proposal for the spot.
func (w writer) list() []Proposal {
	t := w.spot.stack[len(w.spot.stack)-1]
	if w.spot.key {
		return w.members(t)
	}
	at := t.child()
	if names, special := w.references(at); special {
		return texts(names)
	}
	return values(w.schemaAt(at))
}

// members proposes the names of an object that are not there yet.
func (w writer) members(t frame) []Proposal {
	schema := w.schemaAt(t.path)
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]any)
	colon := strings.HasPrefix(strings.TrimLeft(w.text[w.spot.to:], " \t"), ":")
	var out []Proposal
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		typed := w.spot.quoted && t.key == "" && w.text[w.spot.from:w.spot.to] == `"`+name+`"`
		if w.names[t.path+"/"+name] && !typed {
			continue
		}
		member, _ := properties[name].(object)
		member = w.resolve(member)
		p := Proposal{Label: name, About: about(member), Text: `"` + name + `"`}
		if !colon {
			empty := skeleton(member)
			p.Text += ": " + empty
			p.Back = len(empty) / 2
			if len(empty) > 2 { // a whole value
				p.Back = 0
			}
		}
		if slices.Contains(required, any(name)) {
			out = slices.Insert(out, requiredOf(out, required), p)
			continue
		}
		out = append(out, p)
	}
	return out
}

// requiredOf counts the proposals at the beginning that are required members.
func requiredOf(list []Proposal, required []any) int {
	n := 0
	for n < len(list) && slices.Contains(required, any(list[n].Label)) {
		n++
	}
	return n
}

// skeleton returns the empty value of a schema.
func skeleton(schema object) string {
	if c, ok := schema["const"]; ok {
		return encode(c)
	}
	switch schema["type"] {
	case "object":
		return "{}"
	case "array":
		return "[]"
	case "string":
		return `""`
	}
	if _, ok := schema["enum"].([]any); ok {
		return `""`
	}
	return ""
}

// values proposes the values of a schema.
func values(schema object) []Proposal {
	var list []any
	if c, ok := schema["const"]; ok {
		list = append(list, c)
	}
	for _, name := range []string{"enum", "examples"} {
		some, _ := schema[name].([]any)
		list = append(list, some...)
	}
	if d, ok := schema["default"]; ok && !slices.Contains(list, d) {
		list = append(list, d)
	}
	if schema["type"] == "boolean" {
		list = []any{true, false}
	}
	var out []Proposal
	for _, v := range list {
		text := encode(v)
		out = append(out, Proposal{Label: strings.Trim(text, `"`), Text: text})
	}
	if len(out) == 0 {
		if empty := skeleton(schema); empty == "{}" || empty == "[]" {
			out = append(out, Proposal{Label: empty, About: about(schema), Text: empty, Back: 1})
		}
	}
	return out
}

func encode(v any) string {
	raw, err := json.Marshal(v)
	if err != nil { // what was decoded from JSON can be encoded
		return ""
	}
	return string(raw)
}

// about returns the first sentence of a schema's description.
func about(schema object) string {
	text, _ := schema["description"].(string)
	first, _, _ := strings.Cut(text, ". ")
	return first
}

func texts(names []string) []Proposal {
	out := make([]Proposal, len(names))
	for i, n := range names {
		out[i] = Proposal{Label: n, Text: encode(n)}
	}
	return out
}

var (
	inEdge   = regexp.MustCompile(`^/edges/(\d+)/(source|target|source_port)$`)
	inConfig = regexp.MustCompile(`^(/nodes/\d+)/config(/.*)?$`)
	ofNode   = regexp.MustCompile(`^/nodes/\d+/id$`)
)

// references returns the names that a value may have which refers to something of the text or of the program; false if it
// refers to nothing.
func (w writer) references(at string) ([]string, bool) {
	if m := inEdge.FindStringSubmatch(at); m != nil {
		if m[2] != "source_port" {
			return w.nodes(), true
		}
		return w.ports(w.values["/edges/"+m[1]+"/source"]), true
	}
	m := inConfig.FindStringSubmatch(at)
	switch {
	case m == nil:
	case m[2] == "/tool":
		return w.known.Tools, true
	case m[2] == "/workflow" && w.values[m[1]+"/node_type"] == workflow.TypeSub:
		return w.known.Workflows, true
	}
	return nil, false
}

// nodes lists the IDs of the nodes in the text, in their order there.
func (w writer) nodes() []string {
	var paths []string
	for path := range w.values {
		if ofNode.MatchString(path) {
			paths = append(paths, path)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	out := make([]string, len(paths))
	for i, p := range paths {
		out[i] = w.values[p]
	}
	return out
}

// ports lists the ports of the type of a node.
func (w writer) ports(node string) []string {
	for path, id := range w.values {
		if !ofNode.MatchString(path) || id != node {
			continue
		}
		t, ok := w.known.Types.Type(w.values[strings.TrimSuffix(path, "/id")+"/node_type"])
		if !ok {
			return nil
		}
		out := slices.Clone(t.Ports)
		if t.Expiry != "" && !slices.Contains(out, t.Expiry) {
			out = append(out, t.Expiry)
		}
		return out
	}
	return nil
}

// schemaAt returns the schema of the value at a pointer, nil if there is none.
func (w writer) schemaAt(at string) object {
	if m := inConfig.FindStringSubmatch(at); m != nil {
		t, ok := w.known.Types.Type(w.values[m[1]+"/node_type"])
		var config object
		if !ok || json.Unmarshal(t.Config, &config) != nil {
			return nil
		}
		return w.down(config, m[2])
	}
	return w.down(w.root, at)
}

// down follows a pointer within a schema.
func (w writer) down(schema object, at string) object {
	for part := range strings.SplitSeq(strings.TrimPrefix(at, "/"), "/") {
		schema = w.resolve(schema)
		if at == "" {
			break
		}
		properties, _ := schema["properties"].(object)
		next, ok := properties[part].(object)
		if !ok {
			if next, ok = schema["items"].(object); !ok {
				next, _ = schema["additionalProperties"].(object)
			}
		}
		schema = next
	}
	return w.resolve(schema)
}

// resolve follows a reference to the definitions of the schema.
func (w writer) resolve(schema object) object {
	ref, _ := schema["$ref"].(string)
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	if !ok {
		return schema
	}
	defs, _ := w.root["$defs"].(object)
	to, _ := defs[name].(object)
	return to
}
