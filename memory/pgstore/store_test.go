package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/bot/audit"
	"maru/datatest"
	"maru/memory/memtest"
	"maru/memory/memtest/servers"
	"maru/memory/pgstore"
	"maru/memory/schema"
)

// config leads to a schema of the test's own, which is dropped after it.
func config(t testing.TB) pgstore.Config {
	t.Helper()
	cfg := pgstore.Config{URL: servers.Postgres(t), Schema: servers.Name(), Timeout: time.Minute} // a test machine's
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
	sh := &shelf{parent: t}
	memtest.RunRecord(t, func(t *testing.T) bot.Record { return sh.take(t) })
}

// shelf lends stores to the cases of a suite and empties them in between: to
// make a schema and connections for each case would take most of the time.
type shelf struct {
	parent *testing.T
	steps  fs.FS // of the program that made the schema, if not this one
	mu     sync.Mutex
	free   []lent
}

type lent struct {
	*pgstore.Store
	cfg pgstore.Config
}

func (s *shelf) take(t *testing.T) *pgstore.Store {
	t.Helper()
	store, _ := s.takeWithConfig(t)
	return store
}

// takeWithConfig also tells how another replica opens the store.
func (s *shelf) takeWithConfig(t *testing.T) (*pgstore.Store, pgstore.Config) {
	t.Helper()
	s.mu.Lock()
	var l lent
	if n := len(s.free); n > 0 {
		l, s.free = s.free[n-1], s.free[:n-1]
	}
	s.mu.Unlock()
	if l.Store == nil {
		cfg := config(s.parent)
		if s.steps != nil {
			cfg = made(s.parent, s.steps)
		}
		l = lent{open(s.parent, cfg), cfg}
	}
	t.Cleanup(func() {
		empty(s.parent, l.cfg)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = append(s.free, l)
	})
	return l.Store, l.cfg
}

// empty removes all rows; as a replica, so that the audit log lets it.
func empty(t *testing.T, cfg pgstore.Config) {
	t.Helper()
	q := "SET session_replication_role = replica;"
	for _, table := range []string{"threads", "items", "replies", "reply_messages", "entries", "runs", "approvals", "settings", "audit", "notes", "log", "jobs", "artifacts", "schedules", "outside_tokens", "outside_requests", "sources", "source_items", "definitions", "exchanges", "tool_servers", "memories", "memory_notes", "memory_uses", "memory_forgotten", "usage", "ratings", "installations"} {
		q += "DELETE FROM " + cfg.Schema + "." + table + ";"
	}
	exec(t, cfg, q)
}

// Replicas that start at once on an empty database all come up, and the schema
// is made once.
func TestReplicasMigrateOneAfterTheOther(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	if list, err := pgstore.Status(t.Context(), cfg); err != nil || len(list) == 0 || !list[0].Applied.IsZero() {
		t.Fatalf("status of an empty database: %v, %v", list, err)
	}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			s, err := pgstore.Open(t.Context(), cfg)
			if err != nil {
				t.Errorf("open: %v", err)
				return
			}
			if err := s.Ping(t.Context()); err != nil {
				t.Errorf("ping: %v", err)
			}
			s.Close()
		})
	}
	wg.Wait()
	list, err := pgstore.Status(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if m.Applied.IsZero() {
			t.Errorf("%s is not applied", m.Name)
		}
	}
	exec(t, cfg, `INSERT INTO `+cfg.Schema+`.migrations (version, name) VALUES (999, '0999_future')`)
	if _, err := pgstore.Open(t.Context(), cfg); !errors.Is(err, schema.ErrNewer) {
		t.Errorf("open of a newer schema: %v, want ErrNewer", err)
	}
}

// exec runs a statement of the test's own.
func exec(t *testing.T, cfg pgstore.Config, query string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), query); err != nil {
		t.Fatal(err)
	}
}

// A dead job is there for whoever looks into it, for a month.
func TestDeadJobsAreSwept(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	s := open(t, cfg)
	memtest.Buried(t, s, "u", "old", "young")
	exec(t, cfg, "UPDATE "+cfg.Schema+".jobs SET due = now() - interval '31 days' WHERE id = 'old'")
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.DropJobs(t.Context(), "u"); err != nil || n != 1 {
		t.Errorf("%d jobs are left, %v; want the young one", n, err)
	}
}

// A note that says nothing any more takes no place.
func TestEmptyNoteLeavesNoRow(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	s := open(t, cfg)
	for _, value := range []string{"asked", ""} {
		if err := s.SetNote(t.Context(), "halt/r1", value); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var rows int
	if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM `+cfg.Schema+`.notes`).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// What one replica puts wakes another, and only one that shares its schema.
func TestPutWakesOtherReplicas(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	one, two := open(t, cfg), open(t, cfg)
	ctx, cancel := context.WithCancel(t.Context())
	keys, err := two.Wake(ctx)
	if err != nil {
		t.Fatal(err)
	}
	own, err := one.Wake(ctx)
	if err != nil {
		t.Fatal(err)
	}
	stranger, err := open(t, config(t)).Wake(ctx)
	if err != nil {
		t.Fatal(err)
	}
	key := bot.Thread{Platform: "slack", Team: "T", Channel: "C", ID: "1"}.Key()
	end := bot.Thread{Platform: "slack", Team: "T", Channel: "C", ID: "2"}.Key()
	for range 2 { // a copy wakes nobody
		if _, err := one.Put(ctx, bot.Item{ID: "1", Thread: key}); err != nil {
			t.Fatal(err)
		}
	}
	l, ok, err := one.Claim(ctx, key, "w", time.Minute)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := one.CreateApproval(ctx, l, bot.Approval{ID: "a"}); err != nil {
		t.Fatal(err)
	}
	if fresh, err := one.Put(ctx, bot.Item{ID: "later", Thread: key, Kind: bot.ItemMessage}); err != nil || !fresh { // the holder finds it
		t.Fatal(fresh, err)
	}
	if _, err := one.Decide(ctx, bot.Vote{Approval: "a", By: "U", Follow: &bot.Item{ID: "2", Thread: key}}); err != nil {
		t.Fatal(err)
	}
	if asked, err := one.AskStop(ctx, key, "why"); err != nil || !asked {
		t.Fatal(asked, err)
	}
	for _, s := range []*pgstore.Store{two, one} { // notifications come in order: after these there are no more
		if _, err := s.Put(ctx, bot.Item{ID: "end" + fmt.Sprintf("%p", s), Thread: end}); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range []string{key, key, key, end} {
		if got := <-keys; got != want {
			t.Errorf("wake %d: %q, want %q", i, got, want)
		}
	}
	for _, want := range []string{key, end} { // the stop, which may concern a run of its own, and the other's item
		if got := <-own; got != want {
			t.Errorf("%q is woken, want %q", got, want)
		}
	}
	cancel()
	for k := range stranger {
		t.Errorf("another schema was woken: %q", k)
	}
}

func TestWrongURLIsAnErrorWithoutThePassword(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://u:hunter2@127.0.0.1:1/x?connect_timeout=1", "postgres://u:hunter2@host:port/x", "hunter2"} {
		_, err := pgstore.Open(t.Context(), pgstore.Config{URL: url})
		if err == nil {
			t.Errorf("opened %q", url)
		} else if url != "hunter2" && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

func TestAuditLogIsAppendOnly(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	s := open(t, cfg)
	if _, err := s.AppendAudit(t.Context(), audit.Entry{Team: "slack/T", What: "w"}); err != nil {
		t.Fatal(err)
	}
	if p, err := s.PruneAudit(t.Context(), "slack/T", time.Now().Add(time.Hour)); err != nil || p.Entries != 1 {
		t.Fatalf("pruned %+v, %v", p, err)
	}
	if _, err := s.AppendAudit(t.Context(), audit.Entry{Team: "slack/T", What: "w"}); err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, q := range []string{
		"UPDATE %s.audit SET who = 'x'", "DELETE FROM %s.audit", "TRUNCATE %s.audit",
		"DELETE FROM %s.audit WHERE what = 'w'", "DELETE FROM %s.audit WHERE what = 'audit.prune'",
	} {
		if _, err := conn.Exec(t.Context(), fmt.Sprintf(q, cfg.Schema)); err == nil {
			t.Errorf("%s was possible", q)
		}
	}
}

func TestSweepKeepsWhatWasDoneLately(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	s := open(t, cfg)
	key := bot.Thread{Platform: "slack", Team: "T", Channel: "C", ID: "1"}.Key()
	fresh := func() bool {
		t.Helper()
		ok, err := s.Put(t.Context(), bot.Item{ID: "1", Thread: key})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Forget(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if !fresh() || fresh() {
		t.Error("an item was forgotten too early")
	}
	exec(t, cfg, "UPDATE "+cfg.Schema+".items SET ended = now() - interval '31 days'; UPDATE "+cfg.Schema+".threads SET updated = now() - interval '31 days'")
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !fresh() {
		t.Error("an item is remembered for ever")
	}
}

// TestClicksOnApprovals counts 10,000 clicks of many people, through two
// replicas, on a hundred approvals at once.
func TestClicksOnApprovals(t *testing.T) {
	t.Parallel()
	cfg, each := config(t), 100
	if datatest.Short(t) {
		each = 20
	}
	decided, lost := memtest.Clicks(t, open(t, cfg), open(t, cfg), 100, each)
	t.Logf("%d clicks: %d decisions, %d told who was quicker", decided+lost, decided, lost)
}
