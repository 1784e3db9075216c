// Package foreign recognises workflow files of other programs, such as n8n. Whoever opens one reads a single sentence that
// names the program, in place of an error for each unknown member.
package foreign

import (
	"encoding/json"
	"regexp"
	"strings"
)

// shape is what tells the formats apart. A member that is of another type counts as absent.
type shape struct {
	Nodes       list[node]                 `json:"nodes"`
	Connections map[string]json.RawMessage `json:"connections"`
	Data        json.RawMessage            `json:"data"`
	Flow        list[struct{ Module any }] `json:"flow"`
	StartAt     any                        `json:"StartAt"`
	States      json.RawMessage            `json:"States"`
	Kind        any                        `json:"kind"`
	App         json.RawMessage            `json:"app"`
	Workflow    json.RawMessage            `json:"workflow"`
}

type node struct {
	Type        any             `json:"type"`
	TypeVersion any             `json:"typeVersion"`
	Data        map[string]any  `json:"data"`
	Wires       json.RawMessage `json:"wires"`
}

// list is an array whose items may be of any type.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler. It never fails: a value other than an array gives an empty list, and items of
// another type are skipped.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil
	}
	for _, one := range items {
		var t T
		if json.Unmarshal(one, &t) == nil {
			*l = append(*l, t)
		}
	}
	return nil
}

// Formats in YAML and XML, by the keys at the margin.
var (
	dify    = regexp.MustCompile(`(?m)^app:[\s\S]*^kind: *["']?app\b|^kind: *["']?app\b[\s\S]*^(workflow|model_config):`)
	actions = regexp.MustCompile(`(?m)^["']?on["']?:[\s\S]*^jobs:|^jobs:[\s\S]*^["']?on["']?:`)
	bpmn    = regexp.MustCompile(`<(\w+:)?definitions\b[^>]*BPMN`)
)

// Format returns the name of the program whose workflow a text is, "" if it is unknown.
func Format(text []byte) string {
	switch trimmed := strings.TrimSpace(string(text)); {
	case strings.HasPrefix(trimmed, "{"):
		return object(text)
	case strings.HasPrefix(trimmed, "["):
		var flows list[node]
		if json.Unmarshal(text, &flows) == nil {
			for _, n := range flows {
				if n.Wires != nil {
					return "Node-RED"
				}
			}
		}
	case strings.HasPrefix(trimmed, "<"):
		if bpmn.MatchString(trimmed) {
			return "BPMN"
		}
	case dify.MatchString(trimmed):
		return "Dify"
	case actions.MatchString(trimmed):
		return "GitHub Actions"
	}
	return ""
}

// object tells formats in JSON apart.
func object(text []byte) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return ""
	}
	var s shape
	for name, raw := range members { // one by one: a member of another type spoils no other
		_ = json.Unmarshal([]byte(`{"`+name+`":`+string(raw)+`}`), &s)
	}
	var inner struct {
		Nodes list[node]      `json:"nodes"`
		Edges json.RawMessage `json:"edges"`
	}
	if s.Data != nil && json.Unmarshal(s.Data, &inner) == nil && inner.Edges != nil {
		return "Langflow"
	}
	for _, n := range s.Nodes {
		switch {
		case s.Connections != nil && (n.TypeVersion != nil || strings.Contains(word(n.Type), "n8n-nodes")):
			return "n8n"
		case n.Data["inputAnchors"] != nil || n.Data["inputParams"] != nil:
			return "Flowise"
		}
	}
	switch {
	case s.StartAt != nil && s.States != nil:
		return "AWS Step Functions"
	case len(s.Flow) > 0 && s.Flow[0].Module != nil:
		return "Make"
	case word(s.Kind) == "app" && (s.App != nil || s.Workflow != nil):
		return "Dify"
	}
	return ""
}

func word(v any) string {
	s, _ := v.(string)
	return s
}
