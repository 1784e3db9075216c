package consent

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
)

// KindStep is the kind of a question about one call or step.
const KindStep = "step"

// Answer is what a person decided.
type Answer struct {
	agent.Reply

	Written []string // their own words, see [agent.Ask.Written]
	By      string
	At      time.Time
	Expired bool // nobody decided in time
}

// Ask interrupts the run with a question and returns the decision. Until one is made it
// returns graph.ErrInterrupted. key names the question within the node's visit.
func Ask(ctx context.Context, key, kind string, a agent.Ask) (Answer, error) {
	payload, err := json.Marshal(a)
	if err != nil {
		return Answer{}, fmt.Errorf("question for %s: %w", key, err)
	}
	schema, err := replySchema(a)
	if err != nil {
		return Answer{}, fmt.Errorf("question for %s: %w", key, err)
	}
	answer, err := graph.Ask(ctx, graph.Question{Key: key, Kind: kind, Payload: payload, Schema: schema})
	if err != nil {
		return Answer{}, err
	}
	d := Answer{By: answer.By, At: answer.At, Expired: answer.Expired}
	if d.Expired {
		return d, nil
	}
	if err := llm.StrictJSON(answer.Value, &d.Reply); err != nil {
		return d, fmt.Errorf("answer for %s: %w", key, err)
	}
	d.Written = a.Written(d.Reply)
	if d.Action == agent.VerbAllow { // the place stores the standing permission
		d.Action, d.Values = agent.VerbAccept, nil
	}
	return d, nil
}

// Bounds of a person's answer, in characters.
const (
	maxText  = 8000
	maxValue = 8000
)

// replySchema returns the JSON Schema of the agent.Reply to a question: one of its
// verbs, values for its fields, one of its suggestions.
func replySchema(a agent.Ask) (json.RawMessage, error) {
	var verbs, suggestions []string
	values := map[string]any{}
	for _, act := range a.Actions {
		verbs = append(verbs, act.Verb)
		for _, in := range act.Inputs {
			values[in.ID] = map[string]any{"type": "string", "maxLength": maxValue}
		}
	}
	properties := map[string]any{
		"text":    map[string]any{"type": "string", "maxLength": maxText},
		"confirm": map[string]any{"type": "boolean"},
		"values":  map[string]any{"type": "object", "properties": values, "additionalProperties": false},
	}
	for _, o := range a.Suggestions {
		suggestions = append(suggestions, o.Value)
	}
	if len(suggestions) > 0 {
		properties["suggestion"] = map[string]any{"enum": suggestions}
	}
	properties["action"] = map[string]any{"enum": verbs}
	return json.Marshal(map[string]any{
		"type": "object", "properties": properties, "required": []string{"action"}, "additionalProperties": false,
	})
}
