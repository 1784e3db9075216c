package main

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"maru/agent/chat"
	"maru/agent/llm"
	"maru/agent/tool/builtin"
	"maru/bot"
	"maru/bot/service"
	"maru/memory/longterm"
)

// newMemory makes the long-term memory over the record, unless it is switched
// off.
func (a *app) newMemory() error {
	if !a.cfg.Memory.On {
		return nil
	}
	c := longterm.Config{Store: a.memories}
	embedder, err := a.newEmbedder(bot.SpentMemory)
	if err != nil {
		return err
	}
	if embedder != nil {
		c.Embed = embedder.Embed
	}
	a.memory = longterm.New(c)
	return nil
}

// recaller is the memory as the chat agent asks for it: no interface that holds
// nothing.
func (a *app) recaller() chat.Memory {
	if a.memory == nil {
		return nil
	}
	return a.memory
}

// remembers is the memory as the tools ask for it.
func (a *app) remembers() builtin.Memory {
	if a.memory == nil {
		return nil
	}
	return a.memory
}

// memoryTokens is how much memory enters a prompt. The built-in model would not
// use it, and a card must not claim that it did.
func (a *app) memoryTokens() int {
	if !a.cfg.Model.On() {
		return -1
	}
	return a.cfg.Memory.Tokens
}

// reflect asks the model what people said about themselves, where there is one
// and the operator wants it.
func (a *app) reflect(model llm.Model) service.Reflect {
	if !a.cfg.Model.On() || !a.cfg.Memory.Extract {
		return nil
	}
	return func(ctx context.Context, words string) ([]longterm.PreferenceLesson, error) {
		return chat.Reflect(ctx, model, words)
	}
}

// noteForgotten is the note of the record that changes whenever somebody was
// forgotten.
const noteForgotten = "forgotten"

// replies is a cache of the model's replies, which every replica loses when
// somebody is forgotten on any.
func (a *app) replies() llm.Cache {
	return llm.SharedGenerations(llm.NewMemoryCache(cachedReplies, time.Now), func(ctx context.Context) (string, error) {
		return a.record.Note(ctx, noteForgotten)
	})
}

// purge empties the caches that may hold what somebody said, on all replicas.
func (a *app) purge(ctx context.Context) error {
	errs := []error{a.record.SetNote(ctx, noteForgotten, rand.Text())}
	for _, empty := range a.purges {
		errs = append(errs, empty(ctx))
	}
	return errors.Join(errs...)
}
