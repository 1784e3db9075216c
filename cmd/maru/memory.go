package main

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"maru/agent/chat"
	"maru/agent/llm"
	"maru/bot"
	"maru/bot/learning"
	"maru/cmd/maru/embedding"
	"maru/config"
	"maru/memory/longterm"
)

// newMemory returns the long-term memory, nil if it is switched off.
func newMemory(on bool, store longterm.Store, e *embedding.Embedders) (*longterm.Memory, error) {
	if !on {
		return nil, nil //nolint:nilnil // switched off
	}
	c := longterm.Config{Store: store}
	embedder, err := e.On(bot.SpentMemory)
	if err != nil {
		return nil, err
	}
	if embedder != nil {
		c.Embed = func(ctx context.Context, texts []string, question bool) ([][]float32, error) {
			kind := llm.PassageText
			if question {
				kind = llm.QuestionText
			}
			return embedder.Embed(ctx, kind, texts)
		}
	}
	return longterm.New(c), nil
}

// recaller converts the memory for agents: nil becomes a nil interface.
func recaller(m *longterm.Memory) chat.Memory {
	if m == nil {
		return nil
	}
	return m
}

// memoryTokens returns the budget for memories in a prompt. It is negative for the built-in model, which ignores
// them, so that no card claims their use.
func memoryTokens(cfg config.Config) int {
	if !cfg.Model.On() {
		return -1
	}
	return cfg.Memory.Tokens
}

// reflect asks the model for people's statements about themselves, if a model is configured and the operator enabled
// it.
func reflect(cfg config.Config, model llm.Model) learning.Reflect {
	if m, _ := cfg.ModelOf("", config.RoleSummary); !m.On() || !cfg.Memory.Extract {
		return nil
	}
	return func(ctx context.Context, name, words string) ([]longterm.PreferenceLesson, error) {
		return chat.Reflect(ctx, llm.Run{Model: name}.Bind(model), words)
	}
}

// noteForgotten is the key of a note that changes whenever a person is forgotten.
const noteForgotten = "forgotten"

// replies returns a cache of model replies that is cleared on every replica when a person is forgotten on any.
func replies(notes bot.Notes) llm.Cache {
	return llm.SharedGenerations(llm.NewMemoryCache(cachedReplies, time.Now), func(ctx context.Context) (string, error) {
		return notes.Note(ctx, noteForgotten)
	})
}

// purge returns a function that clears the caches of people's words on all replicas. others are caches besides
// that of the replies.
func purge(notes bot.Notes, others []func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		errs := []error{notes.SetNote(ctx, noteForgotten, rand.Text())}
		for _, empty := range others {
			errs = append(errs, empty(ctx))
		}
		return errors.Join(errs...)
	}
}
