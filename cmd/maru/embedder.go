package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/openai"
	"maru/agent/metering"
	"maru/bot"
	"maru/config"
	"maru/rag"
)

// questionKept is how long the vector of a question is kept: as long as a turn may take
// that searches for it in the documents, in memory and among the tools.
const questionKept = time.Minute

// encoder makes vectors on this machine.
type encoder interface {
	llm.Embedder
	io.Closer
}

// embedders make vectors with the configured model. The vectors of questions are
// shared by all of them.
type embedders struct {
	cfg       config.Model
	meter     *metering.Meter
	questions *llm.VectorCache
	encoder   func() (encoder, error) // opens the one of this machine, once
}

func newEmbedders(b base, m *metering.Meter) *embedders {
	return &embedders{
		cfg: b.cfg.Model, meter: m, questions: llm.NewVectorCache(questionKept, time.Now),
		encoder: sync.OnceValues(func() (encoder, error) {
			e, err := openEncoder(b.cfg.Model.Encoder)
			if err != nil {
				return nil, fmt.Errorf("MARU_EMBEDDING_ONNX: %w", err)
			}
			b.opened.add(e)
			return e, nil
		}),
	}
}

// on returns the embedder, nil if none is configured. Its calls outside of runs
// are counted under one kind of use.
func (e *embedders) on(use bot.SpentOn) (llm.Embedder, error) {
	if e.cfg.Encoder != "" {
		own, err := e.encoder()
		if err != nil {
			return nil, err
		}
		return e.questions.Before(own), nil
	}
	if e.cfg.EmbeddingModel == "" || !e.cfg.On() {
		return nil, nil //nolint:nilnil // search by keywords alone
	}
	return e.named(e.cfg.EmbeddingModel, use)
}

// named returns the embedder of a model of the configured endpoint.
func (e *embedders) named(model string, use bot.SpentOn) (llm.Embedder, error) {
	remote, err := e.remote(model)
	if err != nil {
		return nil, err
	}
	return e.meter.Embedder(e.questions.Before(remote), use), nil
}

func (e *embedders) remote(model string) (llm.Embedder, error) {
	c := endpoint(e.cfg)
	c.Model = model
	return openai.NewEmbedder(c)
}

// vectors returns how an index embeds.
func (e *embedders) vectors() (vectors, error) {
	current, err := e.on(bot.SpentIndexing)
	if err != nil || current == nil {
		return vectors{}, err
	}
	old := func(model string) rag.Embed {
		before, err := e.named(model, bot.SpentIndexing)
		if err != nil {
			return nil
		}
		return passagesOf(before)
	}
	return vectors{passagesOf(current), current.Name(), old}, nil
}

// try asks for vectors past caches and sums and returns how long it took.
func (e *embedders) try(ctx context.Context) (time.Duration, error) {
	one, err := e.raw()
	if err != nil {
		return 0, err
	}
	start := time.Now()
	v, err := one.Embed(ctx, []string{"annual leave", "office"})
	switch {
	case err != nil:
		return 0, err
	case len(v) != 2 || len(v[0]) == 0 || len(v[0]) != len(v[1]):
		return 0, errEmbeddings
	}
	return time.Since(start).Round(time.Millisecond), nil
}

// raw is the configured embedder without cache and meter.
func (e *embedders) raw() (llm.Embedder, error) {
	if e.cfg.Encoder != "" {
		return e.encoder()
	}
	return e.remote(e.cfg.EmbeddingModel)
}

// passagesOf is how an embedder embeds passages and questions of an index: one that
// is metered charges their channels.
func passagesOf(e llm.Embedder) rag.Embed {
	if metered, ok := e.(*metering.Embedder); ok {
		return metered.EmbedPassages
	}
	return func(ctx context.Context, texts, _ []string) ([][]float32, error) { return e.Embed(ctx, texts) }
}
