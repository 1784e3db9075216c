package pgvector_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/memory/memtest/servers"
	"maru/rag"
	"maru/rag/pgvector"
	"maru/rag/ragtest"
)

// config leads to a schema of the test's own, which is dropped after it.
func config(t *testing.T, url string) pgvector.Config {
	t.Helper()
	cfg := pgvector.Config{URL: url, Schema: servers.Name(), Poll: 50 * time.Millisecond}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		exec(ctx, t, cfg, "DROP SCHEMA IF EXISTS "+cfg.Schema+" CASCADE")
	})
	return cfg
}

func exec(ctx context.Context, t testing.TB, cfg pgvector.Config, sql string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
}

// debian returns a PostgreSQL with real concurrency; pglite has the extension, and
// one backend for everybody: tests use it one at a time, over one connection.
func debian(t *testing.T) pgvector.Config { return config(t, servers.Postgres(t)) }

var oneAtATime sync.Mutex

func pglite(t *testing.T) pgvector.Config {
	url := servers.PGVector(t)
	oneAtATime.Lock()
	t.Cleanup(oneAtATime.Unlock)
	join := "?"
	if strings.Contains(url, "?") {
		join = "&"
	}
	cfg := config(t, url+join+"default_query_exec_mode=exec")
	cfg.Conns = 1
	return cfg
}

func open(t *testing.T, cfg pgvector.Config) *pgvector.Index {
	t.Helper()
	x, err := pgvector.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func contract(t *testing.T, cfg func(*testing.T) pgvector.Config) {
	ragtest.Run(t, func(t *testing.T) (rag.Index, func(*testing.T) rag.Index) {
		c := cfg(t)
		return open(t, c), func(t *testing.T) rag.Index { return open(t, c) }
	})
}

func TestContract(t *testing.T) {
	t.Parallel()
	contract(t, debian)
}
