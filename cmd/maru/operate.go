package main

import (
	"context"
	"fmt"
	"io"

	"maru/adapters/slack"
	"maru/bot/operate"
	"maru/memory/pgstore"
	"maru/memory/schema"
	"maru/memory/sqlitestore"
)

// migrate is `maru migrate`: it migrates the record's schema or, with "status", shows its version and whether this
// program can use it.
func migrate(ctx context.Context, inv invocation) error {
	status := len(inv.args) == 1 && inv.args[0] == "status"
	if len(inv.args) > 0 && !status {
		return usageError{Text: "it takes nothing, or status"}
	}
	url := inv.cfg.Store.DatabaseURL.Reveal()
	if url == "" {
		return migrateEmbedded(ctx, inv, status)
	}
	cfg := pgstore.Config{URL: url, Log: inv.log}
	var failed error
	if !status {
		failed = pgstore.Migrate(ctx, cfg)
	}
	steps, err := pgstore.Status(ctx, cfg)
	if err != nil && len(steps) == 0 {
		return fmt.Errorf("DATABASE_URL: %w; check that PostgreSQL runs there, has this database and accepts this login", err)
	}
	if failed != nil {
		return failed
	}
	return schema.Show(inv.stdout, steps, err)
}

// migrateEmbedded opens the embedded record, which brings it up to date.
func migrateEmbedded(ctx context.Context, inv invocation, status bool) error {
	if !status {
		b := newBase(inv.cfg, inv.log)
		if _, _, err := openRecord(ctx, b); err != nil {
			return err
		}
		if err := b.opened.Close(); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(inv.stdout, "embedded record %s: brought up to date at every start\n", recordPath(inv.cfg.Store)); err != nil {
		return err
	}
	steps, err := sqlitestore.Status(ctx, sqlitestore.Config{Path: recordPath(inv.cfg.Store)})
	return schema.Show(inv.stdout, steps, err)
}

// manifest is `maru manifest`: it prints the Slack app's manifest.
func manifest(_ context.Context, inv invocation) error {
	f := operate.Flags("manifest")
	o := slack.ManifestOptions{Socket: inv.cfg.Slack.SocketMode()}
	f.StringVar(&o.URL, "url", inv.cfg.HTTP.PublicURL, "")
	f.BoolVar(&o.Install, "install", inv.cfg.Slack.Distributed(), "")
	if o.Socket && !o.Install {
		o.URL = ""
	}
	rest, err := operate.Parse(f, inv.args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usageError{Text: fmt.Sprintf("it takes no arguments beside its options, got %q", rest)}
	}
	if o.Install && o.URL == "" {
		return usageError{Text: "an app that workspaces install needs this program's public https address: set MARU_PUBLIC_URL, or give --url https://maru.example.com"}
	}
	text, err := slack.Manifest(o)
	if err != nil {
		return usageError{Text: err.Error()}
	}
	_, err = io.WriteString(inv.stdout, text)
	return err
}
