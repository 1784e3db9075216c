package pgstore_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/memory/memtest"
	"maru/memory/memtest/servers"
	"maru/memory/pgstore"
)

// config leads to a schema of the test's own, which is dropped after it.
func config(t testing.TB) pgstore.Config {
	t.Helper()
	cfg := pgstore.Config{URL: servers.Postgres(t), Schema: servers.Name()}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		conn, err := pgx.Connect(ctx, cfg.URL)
		if err != nil {
			t.Errorf("drop the schema: %v", err)
			return
		}
		defer conn.Close(ctx)
		if _, err := conn.Exec(ctx, "SET client_min_messages = warning; DROP SCHEMA IF EXISTS "+cfg.Schema+" CASCADE"); err != nil {
			t.Errorf("drop the schema: %v", err)
		}
	})
	return cfg
}

func open(t testing.TB, cfg pgstore.Config) *pgstore.Store {
	t.Helper()
	s, err := pgstore.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func TestRecord(t *testing.T) {
	t.Parallel()
	memtest.RunRecord(t, func(t *testing.T) bot.Record { return open(t, config(t)) })
}
