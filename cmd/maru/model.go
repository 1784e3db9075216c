package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/openai"
	"maru/bot"
	"maru/config"
)

// fallbackCooldown is how long a model that failed is passed over.
const fallbackCooldown = 30 * time.Second

// newModels returns the configured endpoint's models, the preferred one first,
// or the built-in one. Every attempt is counted to the run that made it.
func (a *app) newModels() ([]llm.Model, error) {
	m := a.cfg.Model
	if !m.On() {
		a.modelName = "built-in extractive"
		return []llm.Model{llm.Metered(extractive.New(), time.Now)}, nil
	}
	a.modelName = m.Name
	var models []llm.Model
	for _, name := range append([]string{m.Name}, m.Fallbacks...) {
		c := a.modelConfig()
		c.Model = name
		one, err := openai.New(c)
		if err != nil {
			return nil, err
		}
		var asked llm.Model = one
		if len(models) == 0 { // a place's choice is among the models of the first; another one is for need
			asked = llm.Chosen(one)
		}
		models = append(models, llm.Metered(asked, time.Now))
	}
	models[len(models)-1] = llm.Shortened(models[len(models)-1]) // nobody else is left to read all of it
	return models, nil
}

// readerThreshold is how sure a passage must be to be shown to a language model,
// which reads it and says when it does not answer. The index's own threshold is
// for the built-in model, which quotes what it is given: at it a question with a
// name or a word that no document holds is refused, although the documents
// answer it.
const readerThreshold = 0.25

// threshold is the one of the chat agent's searches, 0 for the index's own.
func (a *app) threshold() float64 {
	if !a.cfg.Model.On() || a.cfg.Documents.Threshold != 0 {
		return 0
	}
	return readerThreshold
}

// means lets the model know what the run's place has chosen.
func means(ctx context.Context, req agent.Request) context.Context {
	return llm.WithChoice(ctx, llm.Choice{Model: req.Model, Temperature: req.Temperature})
}

// resilient makes one model of several: each is retried by error class, then the
// next one is asked.
func (a *app) resilient(models []llm.Model) llm.Model {
	tried := make([]llm.Model, len(models))
	for i, m := range models {
		tried[i] = llm.Retry(m, llm.RetryPolicy{
			Attempts: a.cfg.Model.Retries + 1, Limit: a.cfg.Model.Timeout, Random: rand.Float64, Now: time.Now,
		})
	}
	if len(tried) == 1 {
		return tried[0]
	}
	return llm.Fallback(fallbackCooldown, time.Now, tried...)
}

// addressed decides who is spoken to among several people. The built-in model
// cannot; then the bot's rule of thumb does.
func (a *app) addressed(model llm.Model) func(context.Context, []agent.Turn, agent.Turn) (bool, error) {
	if !a.cfg.Model.On() {
		return nil
	}
	return chat.Addressed(model)
}

// newModel is both: for commands that need one model.
func (a *app) newModel() (llm.Model, error) {
	models, err := a.newModels()
	if err != nil {
		return nil, err
	}
	return a.resilient(models), nil
}

// retries is how often the autonomous agent, which retries by itself to tell of
// fallbacks in its state, repeats a call: -1 means never.
func retries(cfg config.Config) int {
	if cfg.Model.Retries == 0 {
		return -1
	}
	return cfg.Model.Retries
}

func (a *app) modelConfig() openai.Config {
	m := a.cfg.Model
	return openai.Config{
		BaseURL: m.BaseURL, APIKey: m.APIKey.Reveal(), Azure: m.Azure, APIVersion: m.APIVersion,
		EmbeddingModel: m.EmbeddingModel, First: m.FirstTimeout, Idle: m.IdleTimeout, Total: m.Timeout,
	}
}

// newEmbedder returns the embedder, nil if none is configured. Outside of runs it is
// asked for one kind of thing.
func (a *app) newEmbedder(on bot.SpentOn) (llm.Embedder, error) {
	if a.cfg.Model.Encoder != "" {
		e, err := a.ownEncoder()
		if err != nil {
			return nil, err
		}
		return a.remembered(e), nil
	}
	if a.cfg.Model.EmbeddingModel == "" || !a.cfg.Model.On() {
		return nil, nil //nolint:nilnil // search by keywords alone
	}
	return a.embedderOf(a.cfg.Model.EmbeddingModel, on)
}

// questionKept is how long the vector of a question is kept: as long as a turn may take
// that searches for it in the documents, in memory and among the tools.
const questionKept = time.Minute

// embedderOf returns the embedder of a model of the configured endpoint.
func (a *app) embedderOf(model string, on bot.SpentOn) (llm.Embedder, error) {
	c := a.modelConfig()
	c.Model = model
	e, err := openai.NewEmbedder(c)
	if err != nil {
		return nil, err
	}
	return a.meter().Embedder(a.remembered(e), on), nil
}

// remembered lets what searches with the same question have its vector made once.
func (a *app) remembered(e llm.Embedder) llm.Embedder {
	if a.questions == nil {
		a.questions = llm.NewVectorCache(questionKept, time.Now)
	}
	return a.questions.Before(e)
}

// encoder makes vectors on this machine.
type encoder interface {
	llm.Embedder
	io.Closer
}

// ownEncoder opens the configured encoder, once.
func (a *app) ownEncoder() (encoder, error) {
	if a.encoder != nil {
		return a.encoder, nil
	}
	e, err := openEncoder(a.cfg.Model.Encoder)
	if err != nil {
		return nil, fmt.Errorf("MARU_EMBEDDING_ONNX: %w", err)
	}
	a.encoder, a.closers = e, append(a.closers, e)
	return e, nil
}
