package chat

import (
	"context"
	"fmt"

	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory/longterm"
)

// maxProposals limits the lessons from one message.
const maxProposals = 5

// reflectShape is the JSON schema of the model's reading of a person's words.
var reflectShape = llm.MustShape("reflection", `{
  "type": "object",
  "properties": {
    "notes": {
      "type": "array",
      "items": {
        "type": "object",
        "properties": {
          "type": {"type": "string", "enum": ["fact", "like", "goal", "feedback"]},
          "subject": {"type": "string"},
          "value": {"type": "string"},
          "quote": {"type": "string", "description": "copied exactly from the message"}
        },
        "required": ["type", "subject", "value", "quote"],
        "additionalProperties": false
      }
    }
  },
  "required": ["notes"],
  "additionalProperties": false
}`)

type reflection struct {
	Notes []longterm.PreferenceLesson `json:"notes"`
}

// Reflect asks the model, with one call, what a person's words say about themselves. The proposals are untrusted:
// the caller keeps those supported by the words. A reply that does not fit yields no proposals. An unavailable
// model is an error, and the caller may retry.
func Reflect(ctx context.Context, model llm.Model, words string) ([]longterm.PreferenceLesson, error) {
	system, err := host.Render(prompts(), promptReflect, nil)
	if err != nil {
		return nil, err
	}
	req := llm.Request{Purpose: llm.ForLearn, Later: true, Messages: []llm.Message{
		{Role: llm.System, Content: system}, {Role: llm.User, Content: words},
	}}
	found, _, err := llm.Structured[reflection](ctx, model, req, reflectShape)
	if workflow.Soft(err) || llm.ClassOf(err) == llm.BadRequest {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reflect: %w", err)
	}
	notes := found.Notes[:min(len(found.Notes), maxProposals)]
	for i := range notes {
		notes[i].Confidence = inferred
	}
	return notes, nil
}

// inferred is the confidence of a model's reading of a person's words, lower than that of an explicit request to
// remember.
const inferred = 0.75
