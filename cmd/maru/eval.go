package main

import (
	"context"
	"path/filepath"

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

// openSetIndex opens an empty index of the configured kind: a remote one under its own name, dropped when closed, the
// embedded one in memory.
func openSetIndex(ctx context.Context, b base, v evaluate.Vectors) (evaluate.Index, error) {
	if server, remote := measured(b); remote {
		return server.Create(ctx, v)
	}
	return local.Open(ctx, local.Config{Threshold: b.cfg.Documents.Threshold, Embed: v.Embed, EmbedModel: v.Model, Log: b.log})
}

// measured returns the server on which measurements and rehearsals create their indexes; false: none.
func measured(b base) (evaluate.Server, bool) {
	d, url := b.cfg.Documents, indexURL(b.cfg)
	server := evaluate.Server{Folder: filepath.Join(b.cfg.Store.DataDir, "measured"), Address: d.Index + " " + url, Log: b.log}
	switch d.Index {
	case config.IndexPGVector:
		server.Open = func(ctx context.Context, name string, v evaluate.Vectors) (evaluate.ServerIndex, error) {
			x, err := pgvector.Open(ctx, pgvector.Config{URL: url, Schema: name, Threshold: d.Threshold, Embed: v.Embed, EmbedModel: v.Model, Log: b.log})
			return x, explainMissingIndex(err, "PostgreSQL")
		}
	case config.IndexOpenSearch:
		server.Open = func(ctx context.Context, name string, v evaluate.Vectors) (evaluate.ServerIndex, error) {
			x, err := opensearch.Open(ctx, opensearch.Config{URL: url, Name: name, Threshold: d.Threshold, Embed: v.Embed, EmbedModel: v.Model, Log: b.log})
			return x, explainMissingIndex(err, "OpenSearch")
		}
	default:
		return server, false
	}
	return server, true
}
