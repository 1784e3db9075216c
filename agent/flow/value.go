package flow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"maru/agent/tool"
)

// Value is a text or a number among the arguments of a call.
type Value struct {
	Path string // the names that lead to it, such as "to" or "guests 2"
	Text string
}

// Values lists the texts and numbers of a call's arguments, by their names.
func Values(arguments json.RawMessage) []Value { return leaves("", exact(arguments)) }

// MadeUp returns the values of a call that writes or sends which neither a person nor anything that the run has read gave: the model
// made them up. Choices and defaults of the tool are its own.
func (c Context) MadeUp(spec tool.Spec, values []Value, now time.Time) (out []Value) {
	if class := ClassOf(spec.Policy); class != Writes && class != Sends {
		return nil
	}
	given, own := c.Given(now), map[string]bool{}
	for _, text := range named(exact(spec.Parameters)) {
		own[text] = true
	}
	for _, v := range values {
		has := given.Has
		if v.wording() {
			has = given.HasFacts
		}
		if !own[v.Text] && !has(v.Text) {
			out = append(out, v)
		}
	}
	return out
}

// named lists the values that a schema of parameters names itself: choices, constants and defaults.
func named(schema any) (out []string) {
	switch v := schema.(type) {
	case []any:
		for _, one := range v {
			out = append(out, named(one)...)
		}
	case map[string]any:
		for name, one := range v {
			if name == "enum" || name == "const" || name == "default" {
				for _, l := range leaves("", one) {
					out = append(out, l.Text)
				}
			}
			out = append(out, named(one)...)
		}
	}
	return out
}

// wording reports whether the value is a text for people, which the model is free to word.
func (v Value) wording() bool {
	name := v.Path[strings.LastIndexByte(v.Path, '.')+1:]
	return slices.Contains(wordings, strings.ToLower(strings.TrimRight(name, " 0123456789")))
}

// wordings are the names that tools give to texts for people.
var wordings = []string{
	"title", "subject", "summary", "headline", "caption", "heading", "message", "text", "body", "content", "description", "comment", "note", "notes", "memo", "details",
	"reason", "agenda", "topic", "purpose",
}

// leaves lists texts and numbers, by their names.
func leaves(path string, v any) (out []Value) {
	switch v := v.(type) {
	case string:
		return []Value{{path, v}}
	case json.Number:
		return []Value{{path, v.String()}}
	case []any:
		for i, one := range v {
			out = append(out, leaves(fmt.Sprintf("%s %d", path, i+1), one)...)
		}
	case map[string]any:
		for name, one := range v {
			out = append(out, leaves(strings.TrimPrefix(path+"."+name, "."), one)...)
		}
		slices.SortStableFunc(out, func(a, b Value) int { return strings.Compare(a.Path, b.Path) })
	}
	return out
}

// exact reads JSON with its numbers as they are written, nil if it is invalid.
func exact(raw json.RawMessage) (out any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&out) != nil {
		return nil
	}
	return out
}
