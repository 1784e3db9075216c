package tool

import (
	"context"
	"encoding/json"
	"fmt"

	"maru/agent/llm"
	"maru/phrase"
)

// Reader describes a tool that only reads. title is a key of the catalogues,
// parameters the JSON Schema of an object.
func Reader(name, title, description, parameters string) Spec {
	return Spec{
		Name: name, Title: phrase.Of(title), Description: description,
		Parameters: json.RawMessage(parameters), Policy: Policy{ReadOnly: true, Idempotent: true},
	}
}

// Own makes a tool of an agent. It works on its caller's bench, passed in the [Call]; a call
// without a bench of this type fails. The arguments satisfy the spec's schema and are decoded as
// A.
func Own[B, A any](spec Spec, run func(ctx context.Context, bench B, arguments A) (string, error)) Tool {
	return own[B, A]{spec, run}
}

type own[B, A any] struct {
	spec Spec
	run  func(ctx context.Context, bench B, arguments A) (string, error)
}

func (o own[B, A]) Spec() Spec { return o.spec }

func (o own[B, A]) Call(ctx context.Context, c Call) (Result, error) {
	bench, ok := c.Bench.(B)
	if !ok {
		return Result{}, fmt.Errorf("tool %s: called without its bench", o.spec.Name)
	}
	var arguments A
	if err := llm.StrictJSON(c.Arguments, &arguments); err != nil {
		return Result{}, fmt.Errorf("arguments: %w", err)
	}
	text, err := o.run(ctx, bench, arguments)
	return Result{Text: text}, err
}
