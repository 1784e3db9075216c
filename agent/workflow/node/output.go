package node

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"maru/agent/graph"
)

// output is where a node puts its result: a channel of the state, or a member
// of metadata. The body of a map hands its result to the join instead.
type output struct {
	schema  *graph.Schema
	channel string
	member  string // of metadata
}

// newOutput reads "channel" or "metadata.name"; "" is last_output.
func newOutput(schema *graph.Schema, name string) (output, error) {
	name = cmp.Or(name, "last_output")
	channel, member, _ := strings.Cut(name, ".")
	o := output{schema, channel, member}
	var open []string
	for _, c := range schema.Channels() {
		if !reserved(c.Name) {
			open = append(open, c.Name)
		}
	}
	switch {
	case !slices.Contains(open, channel):
		return o, fault("definition.output", name, strings.Join(open, ", "))
	case (channel == "metadata") != (member != ""):
		return o, fault("definition.output_member", name)
	}
	return o, nil
}

// writes returns the channels that may be written.
func (o output) writes(more ...string) []string {
	return append([]string{o.channel, "results"}, more...)
}

// write puts v where it belongs.
func (o output) write(s graph.State, v any) ([]graph.Write, error) {
	item, mapped := itemOf(s)
	if mapped && s.Arg() != nil {
		return o.mapped(item.Map, item.Index, v)
	}
	w, err := o.set(v)
	if err != nil {
		return nil, err
	}
	return []graph.Write{w}, nil
}

func (o output) mapped(id string, index int, v any) ([]graph.Write, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("result of item %d: %w", index, err)
	}
	w, err := o.schema.Add("results", Mapped{Map: id, Index: index, Value: raw})
	return []graph.Write{w}, err
}

func (o output) set(v any) (graph.Write, error) {
	if o.member != "" {
		raw, err := json.Marshal(v)
		if err != nil {
			return graph.Write{}, fmt.Errorf("metadata.%s: %w", o.member, err)
		}
		return o.schema.Add("metadata", map[string]json.RawMessage{o.member: raw})
	}
	if kindOf(o.schema, o.channel) != "last" {
		return o.schema.Add(o.channel, v)
	}
	w, err := o.schema.Set(o.channel, v)
	if err == nil {
		return w, nil
	}
	if text, terr := o.schema.Set(o.channel, textOf(v)); terr == nil { // a channel of text
		return text, nil
	}
	return graph.Write{}, err
}

func kindOf(schema *graph.Schema, channel string) string {
	for _, c := range schema.Channels() {
		if c.Name == channel {
			return c.Kind
		}
	}
	return ""
}

// key names an item's result.
func key(id string, index int) string { return fmt.Sprintf("%s/%d", id, index) }
