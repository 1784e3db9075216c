package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"os"

	"maru/agent/tool/mcp"
	"maru/agent/workflow/node"
	"maru/cmd/maru/sources"
	"maru/rag/library"
)

// newSources returns the synchronisation of documents with websites and other outside sources.
func newSources(b base, r record, lib *library.Library, pool *mcp.Pool) *sources.Sources {
	return sources.New(sources.Config{
		Settings: b.cfg.Documents, DataDir: cmp.Or(b.cfg.Store.DataDir, os.TempDir()), Store: r, Notes: r, Library: lib, Client: node.NewHTTPClient(b.cfg.Workflows.Inside.Holds), MCP: pool.Source, Version: version(), Owner: rand.Text(), Lease: b.cfg.Run.LeaseTTL, Log: b.log,
	})
}

// sources prints how the sources are.
func (d *examination) sources(ctx context.Context) {
	if d.kept.record == nil {
		return // a running program has it open
	}
	list, err := sources.Statuses(ctx, d.kept.record)
	if err != nil {
		d.bad("sources", err.Error(), "")
	}
	for _, s := range list {
		if s.Err != nil {
			d.note("source", s.Name+": "+oneLine(s.Err.Error())+"; "+s.What, "")
			continue
		}
		d.good("source", s.Name+": "+s.What)
	}
}
