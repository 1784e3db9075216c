package extractive

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"maru/agent/llm"
)

// object is the part of a JSON schema that the skills look at.
type object struct {
	Type       any                        `json:"type"`
	Properties map[string]json.RawMessage `json:"properties"`
	Required   []string                   `json:"required"`
	Enum       []any                      `json:"enum"`
	Const      json.RawMessage            `json:"const"`
	MinItems   int                        `json:"minItems"`
}

// structured answers requests for JSON: the router's question, and shapes that
// can be filled with an honest "nothing". Any other shape would have to be made
// up.
func structured(a *ask) (output, error) {
	var s object
	if err := json.Unmarshal(a.req.Schema.JSON, &s); err != nil {
		return output{}, &llm.Error{Class: llm.BadRequest, Model: Name, Detail: "schema " + a.req.Schema.Name + " is not a JSON schema of an object"}
	}
	if isRoute(s) {
		return route(a, s)
	}
	v, ok := nothing(a.req.Schema.JSON, 0)
	if !ok {
		return output{}, unable("to fill the schema " + a.req.Schema.Name)
	}
	b, err := json.Marshal(v)
	return output{text: string(b)}, err
}

func isRoute(s object) bool {
	var r object
	return json.Unmarshal(s.Properties["route"], &r) == nil && slices.Contains(r.Enum, any("rag")) && slices.Contains(r.Enum, any("agent"))
}

// route decides whether stored documents should answer.
func route(a *ask, s object) (output, error) {
	w := a.wish()
	out := map[string]string{"route": "agent"}
	if w.kind == wantsDocuments || w.kind == wantsSaid {
		out["route"] = "rag"
	}
	if _, ok := s.Properties["reason"]; ok {
		out["reason"] = string(w.kind)
	}
	if _, ok := s.Properties["wants"]; ok {
		out["wants"] = "answer"
		if sum, _ := embedded(a.question); sum != "" {
			out["wants"] = "action"
		}
	}
	for _, r := range s.Required {
		if _, ok := out[r]; !ok {
			return output{}, unable("to fill " + r + " of the schema " + a.req.Schema.Name)
		}
	}
	b, err := json.Marshal(out)
	return output{text: string(b)}, err
}

// nothing returns the value of a schema that claims nothing: empty lists, null,
// constants. It fails where a value would be a claim.
func nothing(schema json.RawMessage, depth int) (any, bool) {
	var s object
	if depth > 8 || json.Unmarshal(schema, &s) != nil {
		return nil, false
	}
	switch {
	case len(s.Const) > 0:
		return s.Const, true
	case isType(s.Type, "null"):
		return nil, true
	case isType(s.Type, "array"):
		return []any{}, s.MinItems == 0
	case isType(s.Type, "object"):
		out := map[string]any{}
		for _, r := range s.Required {
			v, ok := nothing(s.Properties[r], depth+1)
			if !ok {
				return nil, false
			}
			out[r] = v
		}
		return out, true
	default:
		return nil, false
	}
}

// isType reports whether a schema's type, one or a list, is or has want.
func isType(t any, want string) bool {
	return slices.Contains(strings.Fields(strings.Trim(fmt.Sprint(t), "[]")), want)
}
