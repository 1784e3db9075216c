package main

import (
	"context"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/llm"
	"maru/config"
)

// readerThreshold is the confidence at which a passage is shown to a language model, which reads it and declines if
// it does not answer. The index's own threshold is for the built-in model, which quotes: it would decline a question
// with an unknown name or word although the documents answer it.
const readerThreshold = 0.25

// threshold is the one of the chat agent's searches, 0 for the index's own.
func threshold(cfg config.Config) float64 {
	if !cfg.Model.On() || cfg.Documents.Threshold != 0 {
		return 0
	}
	return readerThreshold
}

// addressed decides whom a message addresses among several people. The built-in model cannot; then the bot's
// heuristic does.
func addressed(cfg config.Config, model llm.Model) func(context.Context, string, []agent.Turn, agent.Turn) (bool, error) {
	if m, _ := cfg.ModelOf("", config.RoleRoute); !m.On() {
		return nil
	}
	return func(ctx context.Context, name string, before []agent.Turn, said agent.Turn) (bool, error) {
		return chat.Addressed(llm.Run{Model: name}.Bind(model))(ctx, before, said)
	}
}
