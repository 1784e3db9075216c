package main

import (
	"math/rand/v2"
	"time"

	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/openai"
)

// fallbackCooldown is how long a model that failed is passed over.
const fallbackCooldown = 30 * time.Second

// newModel returns the model that agents use: the configured endpoint with its
// fallbacks, retried by error class, or the built-in one. Every attempt is
// counted to the run that made it.
func (a *app) newModel() (llm.Model, error) {
	m := a.cfg.Model
	if !m.On() {
		a.modelName = "built-in extractive"
		return llm.Metered(extractive.New(), time.Now), nil
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
		models = append(models, llm.Retry(llm.Metered(one, time.Now), llm.RetryPolicy{Attempts: m.Retries + 1, Random: rand.Float64, Now: time.Now}))
	}
	if len(models) == 1 {
		return models[0], nil
	}
	return llm.Fallback(fallbackCooldown, time.Now, models...), nil
}

func (a *app) modelConfig() openai.Config {
	m := a.cfg.Model
	return openai.Config{
		BaseURL: m.BaseURL, APIKey: m.APIKey.Reveal(), Azure: m.Azure, APIVersion: m.APIVersion,
		EmbeddingModel: m.EmbeddingModel, First: m.Timeout, Idle: m.IdleTimeout, Total: m.Timeout,
	}
}

// newEmbedder returns the embedder, nil if none is configured.
func (a *app) newEmbedder() (llm.Embedder, error) {
	if a.cfg.Model.EmbeddingModel == "" || !a.cfg.Model.On() {
		return nil, nil //nolint:nilnil // search by keywords alone
	}
	c := a.modelConfig()
	c.Model = a.cfg.Model.EmbeddingModel
	return openai.NewEmbedder(c)
}
