package main

import (
	"context"
	"math/rand/v2"
	"time"

	"maru/agent"
	"maru/agent/chat"
	"maru/agent/llm"
	"maru/agent/llm/extractive"
	"maru/agent/llm/openai"
	"maru/agent/llm/queue"
	"maru/agent/workflow/host"
	"maru/config"
)

// fallbackCooldown is how long a model that failed is passed over.
const fallbackCooldown = 30 * time.Second

// models are the models of the configured endpoint, or the built-in one.
type models struct {
	cfg  config.Model
	each []llm.Model // the preferred one first, without retries
	name string      // of the preferred one
}

// newModels returns the configured endpoint's models, or the built-in one. Every
// attempt waits for its turn at the endpoint, is counted to the run that made it, and with shared among those of all replicas.
func newModels(b base, shared queue.Shared) (models, error) {
	cfg := b.cfg.Model
	if !cfg.On() {
		return models{cfg, []llm.Model{llm.Metered(extractive.New(), time.Now)}, "built-in extractive"}, nil
	}
	m := models{cfg: cfg, name: cfg.Name}
	calls := queue.New(queue.Config{URL: cfg.BaseURL, Limit: cfg.InFlight, First: cfg.FirstTimeout, Longest: cfg.Timeout * 4 / 5, Shared: shared})
	for _, name := range append([]string{cfg.Name}, cfg.Fallbacks...) {
		c := endpoint(cfg)
		c.Model, c.Refusals = name, b.refusals
		one, err := openai.New(c)
		if err != nil {
			return models{}, err
		}
		m.each = append(m.each, calls.Model(llm.Metered(one, time.Now)))
	}
	last := len(m.each) - 1
	m.each[last] = llm.Shortened(m.each[last]) // the rest has no reader
	return m, nil
}

// one makes one model of all: each is retried by error class, then the next one
// is asked.
func (m models) one() llm.Model { return resilient(m.cfg, m.each) }

// asks is how every agent but chat asks the models.
func (m models) asks() host.Models {
	return host.Models{
		Model: m.each[0], Fallbacks: m.each[1:], MaxRetries: m.retries(), Patience: m.cfg.Timeout, Random: rand.Float64, Now: time.Now,
	}
}

// retries is how often the agents that retry by themselves, to tell of fallbacks
// in their state, repeat a call: -1 means never.
func (m models) retries() int {
	if m.cfg.Retries == 0 {
		return -1
	}
	return m.cfg.Retries
}

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

// resilient makes one model of several: each is retried by error class, then the
// next one is asked.
func resilient(cfg config.Model, list []llm.Model) llm.Model {
	tried := make([]llm.Model, len(list))
	for i, m := range list {
		tried[i] = llm.Retry(m, llm.RetryPolicy{
			Attempts: cfg.Retries + 1, Limit: cfg.Timeout, Random: rand.Float64, Now: time.Now,
		})
	}
	if len(tried) == 1 {
		return tried[0]
	}
	return llm.Fallback(fallbackCooldown, time.Now, tried...)
}

// addressed decides whom a message addresses among several people. The built-in model cannot; then the bot's
// heuristic does.
func addressed(cfg config.Model, model llm.Model) func(context.Context, []agent.Turn, agent.Turn) (bool, error) {
	if !cfg.On() {
		return nil
	}
	return chat.Addressed(model)
}

// endpoint is where the models are asked.
func endpoint(m config.Model) openai.Config {
	return openai.Config{
		BaseURL: m.BaseURL, APIKey: m.APIKey.Reveal(), Azure: m.Azure, APIVersion: m.APIVersion,
		First: m.FirstTimeout, Idle: m.IdleTimeout, Total: m.Timeout,
	}
}
