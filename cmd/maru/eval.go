package main

import (
	"context"
	"crypto/rand"
	"strings"

	"maru/agent/chat"
	"maru/agent/metering"
	"maru/bot/operate"
	"maru/cmd/maru/embedding"
	"maru/cmd/maru/evaluate"
	"maru/config"
	"maru/rag/library"
	"maru/rag/local"
	"maru/rag/opensearch"
	"maru/rag/pgvector"
)

// evaluated is `maru eval`.
func evaluated(ctx context.Context, inv invocation) error {
	return evaluate.Command{
		Args: inv.args, Environ: inv.environ, ReadFile: inv.readFile, Stdout: inv.stdout, Stderr: inv.stderr, Live: isTerminal(inv.stderr), Config: inv.cfg,
		Gaps: func(ctx context.Context, channel string) error {
			inv.args = []string{channel}
			return desk(operate.Desk.Gaps, "gaps")(ctx, inv)
		},
		Open: func(cfg config.Config) evaluate.Program {
			_, log := terminal(inv)
			b := newBase(cfg, log)
			return evaluate.Program{
				Config: cfg, TimeZone: zoneName(cfg), Log: log, Refusals: b.refusals, Close: b.opened.Close,
				Chat:  chat.Config{Passages: cfg.Documents.Passages, Rerank: cfg.Reranks(), Threshold: threshold(cfg), Limits: threadLimits(cfg), Known: memoryTokens(cfg), Log: log},
				Meter: func(ctx context.Context) (*metering.Meter, error) { return openMeter(ctx, b) },
				Library: func(ctx context.Context, m *metering.Meter) (*library.Library, error) {
					return openLibrary(ctx, b, newEmbedders(b, m))
				},
				Empty: func(ctx context.Context, m *metering.Meter) (*library.Library, *local.Index, error) {
					return openMemoryLibrary(ctx, b, newEmbedders(b, m))
				},
				Embedder: func() (evaluate.Vectors, error) {
					e := embedding.New(b.cfg.Model, nil, nil)
					model, err := e.Remote(b.cfg.Model.Embedding.Model)
					if err != nil {
						return evaluate.Vectors{}, err
					}
					return evaluate.Vectors{Embed: embedding.Passages(model), Model: model.Name()}, nil
				},
				Index: func(ctx context.Context, v evaluate.Vectors) (evaluate.Index, error) { return openSetIndex(ctx, b, v) },
			}
		},
	}.Run(ctx)
}

// dropped is a remote index that is removed after its measurement.
type dropped struct {
	evaluate.Index

	drop func(ctx context.Context) error // closes it, too
}

// Close drops the index, also where the measurement was interrupted.
func (d dropped) Close() error { return d.drop(context.Background()) }

// openSetIndex opens an empty index of the configured kind: a remote one under its own name, the embedded one in
// memory.
func openSetIndex(ctx context.Context, b base, v evaluate.Vectors) (evaluate.Index, error) {
	threshold, name := b.cfg.Documents.Threshold, "maru-eval-"+strings.ToLower(rand.Text())
	switch b.cfg.Documents.Index {
	case config.IndexPGVector:
		x, err := pgvector.Open(ctx, pgvector.Config{URL: indexURL(b.cfg), Schema: name, Threshold: threshold, Embed: v.Embed, EmbedModel: v.Model, Log: b.log})
		if err != nil {
			return nil, explainMissingIndex(err, "PostgreSQL")
		}
		return dropped{x, x.Drop}, nil
	case config.IndexOpenSearch:
		x, err := opensearch.Open(ctx, opensearch.Config{URL: indexURL(b.cfg), Name: name, Threshold: threshold, Embed: v.Embed, EmbedModel: v.Model, Log: b.log})
		if err != nil {
			return nil, explainMissingIndex(err, "OpenSearch")
		}
		return dropped{x, x.Drop}, nil
	}
	return local.Open(ctx, local.Config{Threshold: threshold, Embed: v.Embed, EmbedModel: v.Model, Log: b.log})
}
