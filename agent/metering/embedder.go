package metering

import (
	"context"
	"sync"

	"maru/agent"
	"maru/agent/llm"
	"maru/bot"
)

// Embedder is a metered embedder: calls outside of runs are charged to the channels of their texts.
type Embedder struct {
	llm.Embedder

	meter *Meter
	on    bot.SpentOn
}

// Embedder returns e, metered. on is the purpose of its calls outside of runs.
func (m *Meter) Embedder(e llm.Embedder, on bot.SpentOn) *Embedder { return &Embedder{e, m, on} }

// Embed implements llm.Embedder. The texts belong to no channel.
func (e *Embedder) Embed(ctx context.Context, kind llm.TextKind, texts []string) ([][]float32, error) {
	return e.EmbedPassages(ctx, kind, texts, nil)
}

// EmbedPassages is Embed for the texts of passages, each with its scope; nil if they belong to
// none. A call within a run is the run's.
func (e *Embedder) EmbedPassages(ctx context.Context, kind llm.TextKind, texts, scopes []string) ([][]float32, error) {
	if llm.Listened(ctx) {
		return e.Embedder.Embed(ctx, kind, texts)
	}
	var mu sync.Mutex
	var used agent.Usage
	out, err := e.Embedder.Embed(e.meter.Listen(ctx, func(u agent.Usage) {
		mu.Lock()
		defer mu.Unlock()
		used.Add(u)
		used.Host = u.Host // one endpoint makes all vectors
	}), kind, texts)
	if err == nil || used.Input > 0 {
		e.meter.spend(ctx, e.on, used, sharesOf(texts, scopes))
	}
	return out, err
}
