package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"maru/agent/llm"
	"maru/bot"
)

// models tests every model of the endpoint by itself: a working fallback proves nothing about the others.
func (d *examination) models(ctx context.Context) {
	all, err := newModels(d.base, nil)
	if err != nil {
		d.bad("model", err.Error(), "check OPENAI_BASE_URL and OPENAI_MODEL")
		return
	}
	if !d.cfg.Model.On() {
		d.note("model", "built-in: quotes documents and calculates", "set OPENAI_API_KEY, or OPENAI_BASE_URL of a local server, for a language model")
		return
	}
	for i, m := range all.each {
		part, setting := "model", modelSetting{"OPENAI", "OPENAI_MODEL"}
		if i > 0 {
			part, setting = "fallback", modelSetting{"OPENAI", "OPENAI_FALLBACK_MODELS"}
		}
		d.testModel(ctx, part, setting, m.Name(), func(ctx context.Context) (time.Duration, error) {
			return tryModel(ctx, resilient(d.cfg.Model, []llm.Model{m}))
		})
	}
}

// embeddings tests the embedding model.
func (d *examination) embeddings(ctx context.Context) {
	if name := d.cfg.Model.Embedding.Model; name != "" {
		base := "OPENAI"
		if d.cfg.Model.Embedding.BaseURL != "" {
			base = "OPENAI_EMBEDDING"
		}
		d.testModel(ctx, "embeddings", modelSetting{base, "OPENAI_EMBEDDING_MODEL"}, name, d.vectors.try)
	}
}

// testModel tests one model and prints the result.
func (d *examination) testModel(ctx context.Context, part string, setting modelSetting, name string, try func(context.Context) (time.Duration, error)) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	took, err := try(ctx)
	if err != nil {
		d.bad(part, fmt.Sprintf("%s: %v", name, err), modelFix(err, setting))
		return
	}
	d.good(part, fmt.Sprintf("%s answers in %s%s", name, took, d.refusals.Withheld(name)))
}

// tryModel asks a model for next to nothing and returns how long it took. One that
// thinks aloud and has no room for the answer works as well.
func tryModel(ctx context.Context, m llm.Model) (time.Duration, error) {
	start := time.Now()
	_, err := m.Generate(ctx, llm.Request{MaxTokens: 16, Messages: []llm.Message{{Role: llm.User, Content: "Say OK."}}}, nil)
	if err != nil && llm.ClassOf(err) != llm.Length {
		return 0, err
	}
	return time.Since(start).Round(time.Millisecond), nil
}

// modelSetting is where a model is set: how the names of its endpoint's settings begin, and
// the setting that names the model.
type modelSetting struct{ base, model string }

// modelFix is the remedy for a model that does not answer.
func modelFix(err error, set modelSetting) string {
	switch llm.ClassOf(err) {
	case "":
		return "check " + set.model
	case llm.Auth:
		return "check " + set.base + "_API_KEY"
	case llm.NotFound:
		return "check " + set.model + " (of Azure, the deployment's name) and that " + set.base + "_BASE_URL ends where the API begins, usually /v1"
	case llm.WebPage:
		return "check " + set.base + "_BASE_URL: a web page is there; an API usually begins at /v1"
	case llm.Quota:
		return "the account is used up: check its billing"
	case llm.Network, llm.Timeout:
		return "check " + set.base + "_BASE_URL and that this machine reaches it"
	}
	return "see the endpoint's own log"
}

// errEmbeddings reports an endpoint response without vectors.
var errEmbeddings = errors.New("it returned no vectors of one length for two texts")

// examineModels tries every model as [examination.models] does. While one of those that
// answer people works, and without embeddings, the program works in part.
func (e examiner) examineModels(ctx context.Context) []bot.Finding {
	models := e.models.each
	if !e.cfg.Model.On() {
		models = nil
	}
	out := make([]bot.Finding, 0, len(models)+1)
	var checks []func(context.Context) (time.Duration, error)
	for _, m := range models {
		out = append(out, bot.Finding{Part: "fallback", Detail: m.Name()})
		checks = append(checks, func(ctx context.Context) (time.Duration, error) { return tryModel(ctx, m) })
	}
	if len(models) > 0 {
		out[0].Part = "model"
	}
	if name := e.cfg.Model.Embedding.Model; name != "" {
		out, checks = append(out, bot.Finding{Part: "embeddings", Detail: name}), append(checks, e.vectors.try)
	}
	var all sync.WaitGroup
	for i, check := range checks {
		all.Go(func() {
			took, err := check(ctx)
			if out[i].Err = err; err == nil {
				out[i].Detail += ", " + took.String() + e.refusals.Withheld(out[i].Detail)
			}
		})
	}
	all.Wait()
	answers := slices.ContainsFunc(out[:len(models)], func(f bot.Finding) bool { return f.Err == nil })
	for i := range out {
		if out[i].Err != nil && (answers || i >= len(models)) {
			out[i].Err = fmt.Errorf("%w: %w", bot.ErrLimited, out[i].Err)
		}
	}
	if len(models) == 0 {
		out = append([]bot.Finding{{Part: "model", Detail: e.models.name, Off: true}}, out...)
	}
	return out
}
