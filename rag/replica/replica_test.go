package replica_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/logtest"
	"maru/memory/memtest/servers"
	"maru/rag"
	"maru/rag/local"
	"maru/rag/ragtest"
	"maru/rag/replica"
)

// config leads to a schema of the test's own, which is dropped after it.
func config(t *testing.T) replica.Config {
	t.Helper()
	cfg := replica.Config{URL: servers.Postgres(t), Schema: servers.Name(), Poll: 100 * time.Millisecond}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		exec(ctx, t, cfg, "DROP SCHEMA IF EXISTS "+cfg.Schema+" CASCADE")
	})
	return cfg
}

func exec(ctx context.Context, t *testing.T, cfg replica.Config, sql string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "SET client_min_messages = warning; "+sql); err != nil {
		t.Fatal(err)
	}
}

// open starts a replica over the folder; "" keeps its index in memory.
func open(t *testing.T, cfg replica.Config, dir string) *replica.Index {
	t.Helper()
	own, err := local.Open(t.Context(), local.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Local = own
	x, err := replica.Open(t.Context(), cfg)
	if err != nil {
		_ = own.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func TestSuite(t *testing.T) {
	t.Parallel()
	ragtest.Run(t, func(t *testing.T) (rag.Index, func(*testing.T) rag.Index) {
		cfg, dir := config(t), t.TempDir()
		return open(t, cfg, dir), func(t *testing.T) rag.Index { return open(t, cfg, dir) }
	})
}

// A replica that begins with nothing has everything when Open returns.
func TestNewReplicaHasWhatOthersPut(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	a := open(t, cfg, "")
	for i := range 120 { // more than two batches
		put(t, a, "team", fmt.Sprint("doc", i), fmt.Sprintf("규정 %d", i))
	}
	if gone, err := a.Delete(t.Context(), "team", rag.DocumentID("team", "doc7")); err != nil || !gone {
		t.Fatalf("delete: %v %v", gone, err)
	}
	b := open(t, cfg, "")
	docs, err := b.Documents(t.Context(), []string{"team"})
	if err != nil || len(docs) != 119 {
		t.Errorf("the new replica has %d documents, %v; want 119", len(docs), err)
	}
}

func put(t *testing.T, x rag.Index, scope, source string, passages ...string) {
	t.Helper()
	doc, chunks := ragtest.Doc(scope, source, passages...)
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Fatalf("put %s: %v", source, err)
	}
}

// until asks again until the passages of the scope are as wanted.
func until(t *testing.T, x rag.Index, scope, want string) {
	t.Helper()
	eventually(t, fmt.Sprintf("%q in %s", want, scope), func() bool {
		hits, err := x.Search(t.Context(), rag.Query{Text: "규정", Scopes: []string{scope}, Threshold: -1, Limit: 20})
		var texts []string
		for _, h := range hits {
			texts = append(texts, h.Chunk.Text)
		}
		return err == nil && strings.Join(texts, " / ") == want
	})
}

// eventually waits until something is so.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-deadline:
			t.Fatalf("there is not %s", what)
		case <-tick.C:
		}
	}
}

func TestReplicasFollowEachOther(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	dir := t.TempDir()
	a, b := open(t, cfg, ""), open(t, cfg, dir)
	put(t, a, "team", "leave", "휴가 규정 하나")
	until(t, b, "team", "휴가 규정 하나")
	put(t, b, "team", "leave", "휴가 규정 둘")
	until(t, a, "team", "휴가 규정 둘")
	if _, err := a.Delete(t.Context(), "team", rag.DocumentID("team", "leave")); err != nil {
		t.Fatal(err)
	}
	until(t, b, "team", "")
	// What happens while a replica is away it finds when it is back.
	put(t, a, "team", "travel", "출장 규정")
	until(t, b, "team", "출장 규정")
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Delete(t.Context(), "team", rag.DocumentID("team", "travel")); err != nil {
		t.Fatal(err)
	}
	put(t, a, "team", "expense", "경비 규정")
	until(t, open(t, cfg, dir), "team", "경비 규정")
}

// Another database is another team: what the old one had is gone from the index.
func TestAnotherDatabase(t *testing.T) {
	t.Parallel()
	first, second, dir := config(t), config(t), t.TempDir()
	x := open(t, first, dir)
	put(t, x, "team a", "old", "옛 규정")
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
	y := open(t, second, dir)
	until(t, y, "team a", "")
	put(t, y, "team a", "new", "새 규정")
	until(t, y, "team a", "새 규정")
	if docs, err := y.Documents(t.Context(), []string{"\x00replica"}); err != nil || len(docs) != 1 {
		t.Errorf("positions: %v, %v", docs, err)
	}
}

// Writers on two replicas at once lose nothing, and the replicas agree.
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	replicas := []*replica.Index{open(t, cfg, ""), open(t, cfg, "")}
	var wg sync.WaitGroup
	const each = 15
	for r, x := range replicas {
		wg.Go(func() {
			for i := range each {
				doc, chunks := ragtest.Doc("team", fmt.Sprint("doc", r, i), "규정 본문")
				if err := x.Put(t.Context(), doc, chunks); err != nil {
					t.Errorf("put: %v", err)
				}
				same, chunks := ragtest.Doc("team", "shared", fmt.Sprintf("같은 글 %d %d", r, i))
				if err := x.Put(t.Context(), same, chunks); err != nil {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	wg.Wait()
	var shared []string
	for _, x := range replicas {
		put(t, x, "team", "last", "끝") // its return means that all before it is here
		docs, err := x.Documents(t.Context(), []string{"team"})
		if err != nil || len(docs) != 2*each+2 {
			t.Errorf("%d documents, %v; want %d", len(docs), err, 2*each+2)
		}
		c, _, err := x.Chunk(t.Context(), []string{"team"}, rag.DocumentID("team", "shared")+"#0")
		if err != nil {
			t.Fatal(err)
		}
		shared = append(shared, c.Text)
	}
	if shared[0] != shared[1] {
		t.Errorf("the replicas disagree: %q", shared)
	}
}

// With the database away, changes are refused whole and answers go on.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	x := open(t, cfg, "")
	put(t, x, "team", "leave", "휴가 규정")
	exec(t.Context(), t, cfg, "ALTER TABLE "+cfg.Schema+".rag_documents RENAME TO gone")
	doc, chunks := ragtest.Doc("team", "travel", "출장 규정")
	if err := x.Put(t.Context(), doc, chunks); err == nil {
		t.Error("a change was accepted without the table")
	}
	until(t, x, "team", "휴가 규정")
	exec(t.Context(), t, cfg, "ALTER TABLE "+cfg.Schema+".gone RENAME TO rag_documents")
	if err := x.Put(t.Context(), doc, chunks); err != nil {
		t.Errorf("after the database is back: %v", err)
	}
	if _, err := x.Document(t.Context(), []string{"team"}, doc.ID); err != nil {
		t.Errorf("after the database is back: %v", err)
	}
}

func TestReservedScope(t *testing.T) {
	t.Parallel()
	x := open(t, config(t), "")
	doc, chunks := ragtest.Doc("\x00replica", "x", "규정")
	if err := x.Put(t.Context(), doc, chunks); err == nil {
		t.Error("the replica's own scope takes documents")
	}
	if _, err := x.Document(t.Context(), []string{"team"}, "\x00position"); !errors.Is(err, rag.ErrNotFound) {
		t.Errorf("the position is seen from elsewhere: %v", err)
	}
}

// A document that changed its scope and was removed while a replica was away is gone
// from it as well: the last that the log says of it is the scope it was in then.
func TestRemovedAfterAMoveWhileAway(t *testing.T) {
	t.Parallel()
	cfg, dir := config(t), t.TempDir()
	a := open(t, cfg, "")
	doc, chunks := ragtest.Doc("old", "rules", "규정 하나")
	if err := a.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
	if err := open(t, cfg, dir).Close(); err != nil {
		t.Fatal(err)
	}
	doc.Scope = "new"
	if err := a.Put(t.Context(), doc, chunks); err != nil {
		t.Fatal(err)
	}
	if gone, err := a.Delete(t.Context(), "new", doc.ID); err != nil || !gone {
		t.Fatalf("delete: %v, %v", gone, err)
	}
	docs, err := open(t, cfg, dir).Documents(t.Context(), []string{"old", "new"})
	if err != nil || len(docs) != 0 {
		t.Errorf("the replica that was away has %v, %v", docs, err)
	}
}

// A replica that has followed since does not remember the trouble of long ago: whenever
// its connection breaks, it is back at once.
func TestPatienceBeginsAnew(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	writer := open(t, cfg, "")
	var log logtest.Log
	cfg.Log = log.Logger()
	x := open(t, cfg, "")
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	const cut = `SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query = $1`
	for i := range 3 {
		put(t, writer, "team", "rules", fmt.Sprint("규정 ", i))
		until(t, x, "team", fmt.Sprint("규정 ", i))
		eventually(t, "replicas that listen", func() bool {
			var ended int
			err := conn.QueryRow(t.Context(), cut, `LISTEN "maru_rag_`+cfg.Schema+`"`).Scan(&ended)
			return err == nil && ended > 0
		})
		eventually(t, "word of the break", func() bool { return strings.Count(log.String(), "not followed") > i })
	}
	if strings.Count(log.String(), "wait=200ms") != strings.Count(log.String(), "wait=") {
		t.Errorf("it waits longer and longer:\n%s", log.String())
	}
}
