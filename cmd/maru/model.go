package main

import (
	"context"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/llm"
	"maru/config"
)

// readerThreshold is the minimum confidence of passages shown to a language model, which reads them and declines
// if they do not answer. The index's default is for the built-in model, which quotes: it would decline a question
// with an unknown name or word although the documents answer it.
const readerThreshold = 0.25

// threshold returns the threshold of the chat agent's searches, 0 for the index's default.
func threshold(cfg config.Config) float64 {
	if !cfg.Model.On() || cfg.Documents.Threshold != 0 {
		return 0
	}
	return readerThreshold
}

// addressed returns a function that decides whom a message addresses among several people. It is nil for the
// built-in model; the bot then uses a heuristic.
func addressed(cfg config.Config, model llm.Model) func(context.Context, string, []agent.Turn, agent.Turn) (bool, error) {
	if m, _ := cfg.ModelOf("", config.RoleRoute); !m.On() {
		return nil
	}
	return func(ctx context.Context, name string, before []agent.Turn, said agent.Turn) (bool, error) {
		return chat.Addressed(llm.Run{Model: name}.Bind(model))(ctx, before, said)
	}
}
