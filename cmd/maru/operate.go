package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"maru/adapters/slack"
	"maru/memory/pgstore"
	"maru/memory/sqlitestore"
	"maru/rag"
	"maru/rag/eval"
	"maru/rag/local"
)

// evaluate is `maru eval`: it measures retrieval on question sets, each a folder
// of corpus.jsonl, queries.jsonl and qrels.tsv.
func evaluate(ctx context.Context, inv invocation) error {
	f := flags("eval")
	asJSON := f.Bool("json", false, "")
	every := f.Int("every", 1, "")
	memory := f.Bool("memory", false, "")
	dirs, err := parse(f, inv.args)
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		return usageError{"eval wants folders with corpus.jsonl, queries.jsonl and qrels.tsv"}
	}
	if *memory {
		return evaluateMemory(inv.stdout, dirs, *every, *asJSON)
	}
	var reports []eval.Report
	for _, dir := range dirs {
		r, err := evaluateSet(ctx, dir, *every)
		if err != nil {
			return err
		}
		reports = append(reports, r)
	}
	if *asJSON {
		return eval.WriteJSON(inv.stdout, reports...)
	}
	return eval.WriteTable(inv.stdout, reports...)
}

func evaluateSet(ctx context.Context, dir string, every int) (eval.Report, error) {
	set, err := eval.ReadSet(dir)
	if err != nil {
		return eval.Report{}, err
	}
	index, err := local.Open(ctx, local.Config{})
	if err != nil {
		return eval.Report{}, err
	}
	start := time.Now()
	err = eval.Fill(ctx, set, func(ctx context.Context, docs []rag.Document, chunks [][]rag.Chunk) error {
		entries := make([]local.Entry, len(docs))
		for i := range docs {
			entries[i] = local.Entry{Document: docs[i], Chunks: chunks[i]}
		}
		return index.PutAll(ctx, entries)
	})
	indexing := time.Since(start)
	var r eval.Report
	if err == nil {
		r, err = eval.Evaluate(ctx, index, set, every, time.Now)
		r.Indexing = indexing.Seconds()
	}
	if cerr := index.Close(); err == nil {
		err = cerr
	}
	return r, err
}

// migrate is `maru migrate`: it brings the record's schema up to date, or with
// "status" shows where it is.
func migrate(ctx context.Context, inv invocation) error {
	status := len(inv.args) == 1 && inv.args[0] == "status"
	if len(inv.args) > 0 && !status {
		return usageError{"migrate takes nothing, or status"}
	}
	url := inv.cfg.Store.DatabaseURL.Reveal()
	if url == "" {
		return migrateEmbedded(ctx, inv, status)
	}
	cfg := pgstore.Config{URL: url, Log: inv.log}
	if !status {
		if err := pgstore.Migrate(ctx, cfg); err != nil {
			return err
		}
	}
	steps, err := pgstore.Status(ctx, cfg)
	if err != nil {
		return err
	}
	for _, s := range steps {
		state := "pending"
		if !s.Applied.IsZero() {
			state = "applied " + s.Applied.Format(time.RFC3339)
		}
		if _, err := fmt.Fprintf(inv.stdout, "%04d %-30s %s\n", s.Version, s.Name, state); err != nil {
			return err
		}
	}
	return nil
}

// migrateEmbedded opens the embedded record, which brings it up to date.
func migrateEmbedded(ctx context.Context, inv invocation, status bool) error {
	a := &app{cfg: inv.cfg, log: inv.log}
	if !status {
		if _, err := a.openRecord(ctx); err != nil {
			return err
		}
		if err := a.close(); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(inv.stdout, "embedded record %s: brought up to date at every start\n", a.recordPath()); err != nil {
		return err
	}
	steps, err := sqlitestore.Status(ctx, a.recordPath())
	if err != nil {
		return err
	}
	for _, s := range steps {
		state := "pending"
		if s.Applied {
			state = "applied"
		}
		if _, err := fmt.Fprintf(inv.stdout, "%04d %-30s %s\n", s.Version, s.Name, state); err != nil {
			return err
		}
	}
	return nil
}

// manifest is `maru manifest`: what creates the Slack app in one paste.
func manifest(_ context.Context, inv invocation) error {
	f := flags("manifest")
	url := f.String("url", inv.cfg.HTTP.PublicURL, "")
	if inv.cfg.Slack.SocketMode() {
		*url = ""
	}
	if _, err := parse(f, inv.args); err != nil {
		return err
	}
	text, err := slack.Manifest(*url)
	if err != nil {
		return err
	}
	_, err = io.WriteString(inv.stdout, text)
	return err
}
