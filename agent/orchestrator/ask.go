package orchestrator

import (
	"context"
	"encoding/json"
	"fmt"

	"maru/agent"
	"maru/agent/graph"
	"maru/agent/llm"
	"maru/phrase/intent"
)

// Kinds of questions.
const (
	kindClarification = "clarification"
	kindPlan          = "plan"
	kindStep          = "step"
)

// verbUndo withdraws an earlier answer that was reused without asking.
const verbUndo = "undo"

// ask interrupts the run with a question and returns the decision. Until one is made it
// returns graph.ErrInterrupted.
func ask(ctx context.Context, kind string, a agent.Ask) (decided, error) {
	payload, err := json.Marshal(a)
	if err != nil {
		return decided{}, fmt.Errorf("question for %s: %w", kind, err)
	}
	schema, err := replySchema(a)
	if err != nil {
		return decided{}, fmt.Errorf("question for %s: %w", kind, err)
	}
	answer, err := graph.Ask(ctx, graph.Question{Key: kind, Kind: kind, Payload: payload, Schema: schema})
	if err != nil {
		return decided{}, err
	}
	d := decided{By: answer.By, At: answer.At, Expired: answer.Expired}
	if d.Expired {
		return d, nil
	}
	if err := llm.StrictJSON(answer.Value, &d.Reply); err != nil {
		return d, fmt.Errorf("answer for %s: %w", kind, err)
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
		"text":   map[string]any{"type": "string", "maxLength": maxText},
		"values": map[string]any{"type": "object", "properties": values, "additionalProperties": false},
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

// shortAnswer turns a plain reply that only says yes, no or skip into that action, if
// the question offers it: "네" approves a plan.
func (d decided) shortAnswer(offered ...string) decided {
	if d.Text == "" || len(d.Values) > 0 {
		return d
	}
	said, number := intent.Decide(d.Text)
	if number != 0 { // "skip 2" is about the second step
		return d
	}
	for _, o := range offered {
		switch {
		case (o == agent.VerbAccept || o == agent.VerbProceed) && said == intent.Yes,
			o == agent.VerbReject && said == intent.No,
			o == agent.VerbSkip && (said == intent.Skip || said == intent.No):
			d.Action, d.Text = o, ""
			return d
		}
	}
	return d
}

// entry returns the decision as a line of the approval history.
func (d decided) entry(kind, stepID, note string) approval {
	a := approval{Kind: kind, Action: d.Action, By: d.By, At: d.At, Step: stepID, Auto: d.Auto, Note: note}
	if d.Expired {
		a.Action = "expired"
	}
	return a
}
