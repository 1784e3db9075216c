package chat

import (
	"context"
	"fmt"

	"maru/agent/llm"
	"maru/agent/workflow"
	"maru/agent/workflow/host"
	"maru/memory/longterm"
)

// maxProposals bounds what one message may teach.
const maxProposals = 5

// reflectShape is what a model is asked for about a person's words.
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

// Reflect asks the model what a person said about themselves in their own words,
// with one call. What it proposes is data: the caller keeps only what the words
// bear out. A model that cannot answer this proposes nothing; one that is away
// is an error, and the question may be asked again.
func Reflect(ctx context.Context, model llm.Model, words string) ([]longterm.PreferenceLesson, error) {
	system, err := host.Render(prompts, promptReflect, nil)
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

// inferred is how sure a model's reading of somebody's words is, below what they
// told in so many words.
const inferred = 0.75
