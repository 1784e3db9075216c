package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"maru/agent/contract"
	"maru/agent/metering"
	"maru/bot"
	"maru/cmd/maru/embedding"
	"maru/cmd/maru/evaluate"
	"maru/handbook"
	"maru/rag"
	"maru/rag/library"
	"maru/rag/load"
	"maru/rag/local"
)

func newEmbedders(b base, m *metering.Meter) *embedding.Embedders {
	return embedding.New(b.cfg.Model, b.refusals, m)
}

// openLibrary opens the configured documents and indexes the bundled ones.
func openLibrary(ctx context.Context, b base, e *embedding.Embedders) (*library.Library, error) {
	v, err := e.Vectors()
	if err != nil {
		return nil, err
	}
	index, err := openIndex(ctx, b, v)
	if err != nil {
		return nil, err
	}
	b.opened.add(index)
	loader, err := newLoader(&b.cfg, b.log)
	if err != nil {
		return nil, err
	}
	lib := newLibrary(b, index, loader)
	if err := lib.CheckSynonyms(); err != nil {
		return nil, err
	}
	var standards []library.Bundled
	for _, d := range contract.Standards() {
		standards = append(standards, library.Bundled{Name: d.Name, Data: d.Data})
	}
	if _, err := lib.AddBundled(ctx, contract.StandardScope, standards); err != nil {
		return nil, fmt.Errorf("index the standard contracts: %w", err)
	}
	if !b.cfg.Documents.Handbook {
		return lib, lib.RemoveSample(ctx)
	}
	return lib, lib.AddSample(ctx, handbook.Files())
}

// openMemoryLibrary returns an empty library in memory, and its index.
func openMemoryLibrary(ctx context.Context, b base, e *embedding.Embedders) (*library.Library, *local.Index, error) {
	v, err := e.Vectors()
	if err != nil {
		return nil, nil, err
	}
	index, err := local.Open(ctx, local.Config{Threshold: b.cfg.Documents.Threshold, Embed: v.Embed, EmbedModel: v.Model, Log: b.log})
	if err != nil {
		return nil, nil, err
	}
	b.opened.add(index)
	loader, err := newLoader(&b.cfg, b.log)
	if err != nil {
		return nil, nil, err
	}
	lib := newLibrary(b, index, loader)
	return lib, index, lib.CheckSynonyms()
}

// filesAlone returns a library in memory that has these files alone, for everybody.
func filesAlone(ctx context.Context, b base, e *embedding.Embedders, paths []string) (*library.Library, error) {
	lib, index, err := openMemoryLibrary(ctx, b, e)
	if err != nil {
		return nil, err
	}
	return lib, evaluate.Fill(ctx, lib, index, bot.ScopePublic, paths)
}

// newLibrary returns the library of an index.
func newLibrary(b base, index library.Index, loader rag.Loader) *library.Library {
	return library.New(library.Config{
		Index: index, Loader: loader, Now: time.Now, Zone: b.cfg.Place.Location(), MaxFile: b.cfg.Documents.MaxFile, Synonyms: b.cfg.Documents.Synonyms, Log: b.log,
		Everyone:  []string{contract.StandardScope},
		TooLarge:  func(name string, size, limit int64) error { return load.LargerThan(name, size, limit) },
		Permanent: permanent,
	})
}

// permanent reports whether a file was rejected for its content. A child that timed out or crashed may succeed at
// the next attempt.
func permanent(err error) bool {
	var e *load.Error
	return errors.As(err, &e) && e.Code != load.Timeout && e.Code != load.Crashed
}
