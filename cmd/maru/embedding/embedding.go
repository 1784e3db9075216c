// Package embedding makes vectors with the model that the settings name, for documents, memory and tools. It is wiring: it decides
// nothing that a setting does not say.
package embedding

import (
	"cmp"
	"context"
	"errors"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/openai"
	"maru/agent/metering"
	"maru/bot"
	"maru/cmd/maru/provider"
	"maru/config"
	"maru/rag"
)

// questionKept is how long the vector of a question is kept: as long as a turn may take
// that searches for it in the documents, in memory and among the tools.
const questionKept = time.Minute

// errVectors reports an endpoint response without vectors.
var errVectors = errors.New("it returned no vectors of one length for two texts")

// Vectors are how an index embeds; the zero value searches by keywords alone.
type Vectors struct {
	Embed rag.Embed
	Model string
	Old   func(model string) rag.Embed // a model that was configured before
}

// Embedders make vectors with the configured model. The vectors of questions are
// shared by all of them.
type Embedders struct {
	cfg       config.Model
	refusals  *openai.Refusals
	meter     *metering.Meter
	questions *llm.VectorCache
	// Queued has calls wait for their turn at an address; nil: they do not.
	Queued func(address string, e llm.Embedder) llm.Embedder
}

// New returns the embedders of the settings. Without refusals and a meter only [Embedders.Remote] and [Embedders.Endpoint] work.
func New(cfg config.Model, refusals *openai.Refusals, m *metering.Meter) *Embedders {
	return &Embedders{cfg: cfg, refusals: refusals, meter: m, questions: llm.NewVectorCache(questionKept, time.Now)}
}

// On returns the embedder, nil if none is configured. Its calls outside of runs
// are counted under one kind of use.
func (e *Embedders) On(use bot.SpentOn) (llm.Embedder, error) {
	if !e.cfg.Embeds() {
		return nil, nil //nolint:nilnil // search by keywords alone
	}
	return e.named(e.cfg.Embedding.Model, use)
}

// named returns the embedder of a model of the configured endpoint.
func (e *Embedders) named(model string, use bot.SpentOn) (llm.Embedder, error) {
	remote, err := e.Remote(model)
	if err != nil {
		return nil, err
	}
	var one llm.Embedder = remote
	if e.Queued != nil {
		one = e.Queued(cmp.Or(e.cfg.Embedding.BaseURL, e.cfg.BaseURL), one)
	}
	return e.meter.Embedder(e.questions.Before(one), use), nil
}

// Endpoint returns where vectors are made: at an endpoint of their own or the language model's.
func (e *Embedders) Endpoint() openai.Config {
	c, own := provider.Endpoint(e.cfg), e.cfg.Embedding
	if own.BaseURL != "" {
		c.BaseURL, c.APIKey, c.Azure, c.Settings = own.BaseURL, own.APIKey.Reveal(), false, "OPENAI_EMBEDDING"
	}
	c.Total = cmp.Or(own.Timeout, c.Total)
	c.First = c.Total // a batch has no stream: its first byte comes at the end
	return c
}

// Remote returns the embedder of a model.
func (e *Embedders) Remote(model string) (llm.Embedder, error) {
	c := e.Endpoint()
	c.Refusals, c.EmbeddingModel = e.refusals, model
	c.QueryPrefix, c.PassagePrefix = e.cfg.Embedding.QueryPrefix, e.cfg.Embedding.PassagePrefix
	return openai.NewEmbedder(c)
}

// Vectors returns how an index embeds.
func (e *Embedders) Vectors() (Vectors, error) {
	current, err := e.On(bot.SpentIndexing)
	if err != nil || current == nil {
		return Vectors{}, err
	}
	old := func(model string) rag.Embed {
		before, err := e.named(openai.ModelOf(model), bot.SpentIndexing)
		if err != nil {
			return nil
		}
		return Passages(before)
	}
	return Vectors{Passages(current), current.Name(), old}, nil
}

// Try asks for vectors past caches and sums and returns how long it took.
func (e *Embedders) Try(ctx context.Context) (time.Duration, error) {
	one, err := e.Remote(e.cfg.Embedding.Model)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	v, err := one.Embed(ctx, llm.PassageText, []string{"annual leave", "office"})
	switch {
	case err != nil:
		return 0, err
	case len(v) != 2 || len(v[0]) == 0 || len(v[0]) != len(v[1]):
		return 0, errVectors
	}
	return time.Since(start).Round(time.Millisecond), nil
}

// Passages returns how an embedder embeds passages and questions of an index: one that
// is metered charges their channels.
func Passages(e llm.Embedder) rag.Embed {
	return func(ctx context.Context, texts, scopes []string) ([][]float32, error) {
		kind := llm.PassageText
		if scopes == nil {
			kind = llm.QuestionText
		}
		if metered, ok := e.(*metering.Embedder); ok {
			return metered.EmbedPassages(ctx, kind, texts, scopes)
		}
		return e.Embed(ctx, kind, texts)
	}
}
