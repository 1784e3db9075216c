package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"maru/adapters/slack"
	"maru/memory/pgstore"
	"maru/memory/sqlitestore"
)

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
	o := slack.ManifestOptions{Socket: inv.cfg.Slack.SocketMode()}
	f.StringVar(&o.URL, "url", inv.cfg.HTTP.PublicURL, "")
	f.BoolVar(&o.Install, "install", inv.cfg.Slack.Distributed(), "")
	if o.Socket && !o.Install {
		o.URL = ""
	}
	if _, err := parse(f, inv.args); err != nil {
		return err
	}
	text, err := slack.Manifest(o)
	if err != nil {
		return err
	}
	_, err = io.WriteString(inv.stdout, text)
	return err
}
