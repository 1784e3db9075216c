package main

import (
	"cmp"
	"context"
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

// embedders make vectors with the configured model. The vectors of questions are
// shared by all of them.
type embedders struct {
	cfg       config.Model
	refusals  *openai.Refusals
	meter     *metering.Meter
	questions *llm.VectorCache
	// queued has calls wait for their turn at an address; nil: they do not.
	queued func(address string, e llm.Embedder) llm.Embedder
}

func newEmbedders(b base, m *metering.Meter) *embedders {
	return &embedders{cfg: b.cfg.Model, refusals: b.refusals, meter: m, questions: llm.NewVectorCache(questionKept, time.Now)}
}

// on returns the embedder, nil if none is configured. Its calls outside of runs
// are counted under one kind of use.
func (e *embedders) on(use bot.SpentOn) (llm.Embedder, error) {
	if !e.cfg.Embeds() {
		return nil, nil //nolint:nilnil // search by keywords alone
	}
	return e.named(e.cfg.Embedding.Model, use)
}

// named returns the embedder of a model of the configured endpoint.
func (e *embedders) named(model string, use bot.SpentOn) (llm.Embedder, error) {
	remote, err := e.remote(model)
	if err != nil {
		return nil, err
	}
	var one llm.Embedder = remote
	if e.queued != nil {
		one = e.queued(cmp.Or(e.cfg.Embedding.BaseURL, e.cfg.BaseURL), one)
	}
	return e.meter.Embedder(e.questions.Before(one), use), nil
}

// endpoint is where vectors are made: at an endpoint of their own or the language model's.
func (e *embedders) endpoint() openai.Config {
	c, own := provider.Endpoint(e.cfg), e.cfg.Embedding
	if own.BaseURL != "" {
		c.BaseURL, c.APIKey, c.Azure, c.Settings = own.BaseURL, own.APIKey.Reveal(), false, "OPENAI_EMBEDDING"
	}
	c.Total = cmp.Or(own.Timeout, c.Total)
	c.First = c.Total // a batch has no stream: its first byte comes at the end
	return c
}

// remote returns the embedder of a model.
func (e *embedders) remote(model string) (llm.Embedder, error) {
	c := e.endpoint()
	c.Refusals, c.EmbeddingModel = e.refusals, model
	c.QueryPrefix, c.PassagePrefix = e.cfg.Embedding.QueryPrefix, e.cfg.Embedding.PassagePrefix
	return openai.NewEmbedder(c)
}

// vectors returns how an index embeds.
func (e *embedders) vectors() (vectors, error) {
	current, err := e.on(bot.SpentIndexing)
	if err != nil || current == nil {
		return vectors{}, err
	}
	old := func(model string) rag.Embed {
		before, err := e.named(openai.ModelOf(model), bot.SpentIndexing)
		if err != nil {
			return nil
		}
		return passagesOf(before)
	}
	return vectors{passagesOf(current), current.Name(), old}, nil
}

// try asks for vectors past caches and sums and returns how long it took.
func (e *embedders) try(ctx context.Context) (time.Duration, error) {
	one, err := e.remote(e.cfg.Embedding.Model)
	if err != nil {
		return 0, err
	}
	start := time.Now()
	v, err := one.Embed(ctx, llm.PassageText, []string{"annual leave", "office"})
	switch {
	case err != nil:
		return 0, err
	case len(v) != 2 || len(v[0]) == 0 || len(v[0]) != len(v[1]):
		return 0, errEmbeddings
	}
	return time.Since(start).Round(time.Millisecond), nil
}

// passagesOf is how an embedder embeds passages and questions of an index: one that
// is metered charges their channels.
func passagesOf(e llm.Embedder) rag.Embed {
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
