package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"maru/bot"
	"maru/cmd/maru/provider"
)

// models tests every model of every role by itself.
func (d *examination) models(ctx context.Context) {
	all, err := provider.New(d.cfg, d.refusals, d.log, nil)
	var probes []provider.Probe
	if err == nil {
		probes, err = all.Probes()
	}
	if err != nil {
		d.bad("model", err.Error(), "check OPENAI_BASE_URL and OPENAI_MODEL")
		return
	}
	if !d.cfg.Model.On() {
		d.note("model", "built-in: quotes documents and calculates", "set OPENAI_API_KEY, or OPENAI_BASE_URL of a local server, for a language model")
	}
	for _, p := range probes {
		d.testModel(ctx, p.Part, p.Name, p.Fix, func(ctx context.Context) (time.Duration, error) { return p.Try(ctx, true) }, p.Notes)
	}
}

// embeddings tests the embedding model.
func (d *examination) embeddings(ctx context.Context) {
	if name := d.cfg.Model.Embedding.Model; name != "" {
		fix := func(err error) string { return provider.Fix(err, d.vectors.Endpoint(), "OPENAI_EMBEDDING_MODEL") }
		d.testModel(ctx, "embeddings", name, fix, d.vectors.Try, noNotes)
	}
}

// testModel tests one model and prints the result.
func (d *examination) testModel(ctx context.Context, part, name string, fix func(error) string, try func(context.Context) (time.Duration, error), notes func(context.Context) string) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	took, err := try(ctx)
	if err != nil {
		d.bad(part, fmt.Sprintf("%s: %v", name, err), fix(err))
		return
	}
	d.good(part, fmt.Sprintf("%s answers in %s%s", name, took, notes(ctx)+d.refusals.Withheld(name)))
}

func noNotes(context.Context) string { return "" }

// examineModels checks the models as [examination.models] does. While one of the answering models works, the
// program is limited, not broken.
func (e examiner) examineModels(ctx context.Context) []bot.Finding {
	probes, err := e.models.Probes()
	if err != nil {
		return []bot.Finding{{Part: "model", Err: err}}
	}
	out := make([]bot.Finding, 0, len(probes)+1)
	var checks []func(context.Context) (time.Duration, error)
	var notes []func(context.Context) string
	for _, p := range probes {
		out = append(out, bot.Finding{Part: p.Part, Detail: p.Name})
		checks = append(checks, func(ctx context.Context) (time.Duration, error) { return p.Try(ctx, false) })
		notes = append(notes, p.Notes)
	}
	if name := e.cfg.Model.Embedding.Model; name != "" {
		out, checks = append(out, bot.Finding{Part: "embeddings", Detail: name}), append(checks, e.vectors.Try)
		notes = append(notes, noNotes)
	}
	var all sync.WaitGroup
	for i, check := range checks {
		all.Go(func() {
			name := out[i].Detail
			took, err := check(ctx)
			if out[i].Err = err; err == nil {
				out[i].Detail += ", " + took.String() + notes[i](ctx) + e.refusals.Withheld(name)
			}
		})
	}
	all.Wait()
	works := false
	for i, p := range probes {
		works = works || p.Answers && out[i].Err == nil
	}
	for i := range out {
		if out[i].Err != nil && (works || i >= len(probes) || !probes[i].Answers) {
			out[i].Err = fmt.Errorf("%w: %w", bot.ErrLimited, out[i].Err)
		}
	}
	if !e.cfg.Model.On() {
		out = append([]bot.Finding{{Part: "model", Off: true}}, out...)
	}
	return out
}
