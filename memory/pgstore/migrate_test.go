package pgstore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/memory/longterm"
	"maru/memory/memtest"
	"maru/memory/pgstore"
	"maru/memory/schema"
)

func TestMigrations(t *testing.T) {
	t.Parallel()
	memtest.RunMigrations(t, os.DirFS("."))
}

// made makes a schema as a program with these steps leaves it.
func made(t *testing.T, steps fs.FS) pgstore.Config {
	t.Helper()
	cfg := config(t)
	if err := pgstore.Migrate(t.Context(), cfg.WithSteps(steps)); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestProgramOnANewerRecord runs the whole suite of this program on a schema
// that a newer one has added to.
func TestProgramOnANewerRecord(t *testing.T) {
	t.Parallel()
	adds, _ := memtest.Future(t, pgstore.Migrations())
	sh := &shelf{parent: t, steps: adds}
	memtest.RunRecord(t, func(t *testing.T) bot.Record { return sh.take(t) })
}

// TestNewerRecord is who may open what a newer program has left, and what the
// status says of it.
func TestNewerRecord(t *testing.T) {
	t.Parallel()
	own := pgstore.Migrations()
	adds, contracts := memtest.Future(t, own)
	for name, c := range map[string]struct {
		record, program fs.FS
		newer           int
		want            string // "" if it is opened
	}{
		"this program's":             {own, own, 0, ""},
		"the one before":             {own, adds, 0, ""},
		"a newer one adds":           {adds, own, 1, ""},
		"a newer one took away":      {contracts, own, 2, "needs a program that knows step"},
		"which was used no more":     {contracts, adds, 1, ""},
		"an earlier record, at once": {own, contracts, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := made(t, c.record).WithSteps(c.program)
			list, err := pgstore.Status(t.Context(), cfg)
			newer := 0
			for _, m := range list {
				if m.Newer {
					newer++
				}
			}
			if newer != c.newer || (err == nil) != (c.want == "") {
				t.Errorf("status: %d newer, %v; want %d, %q", newer, err, c.newer, c.want)
			}
			s, err := pgstore.Open(t.Context(), cfg)
			if err == nil {
				defer s.Close()
			}
			if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, schema.ErrNewer) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("open: %v, want %q", err, c.want)
			}
		})
	}
}

// A table of migrations from before steps said who may work with them is read
// by what it has, and a program from then finds in it what it reads.
func TestRecordFromBeforeSteps(t *testing.T) {
	t.Parallel()
	cfg := made(t, pgstore.Migrations())
	exec(t, cfg, `ALTER TABLE `+cfg.Schema+`.migrations DROP COLUMN least`)
	if _, err := pgstore.Status(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	adds, _ := memtest.Future(t, pgstore.Migrations())
	open(t, cfg.WithSteps(adds))
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var additive bool
	err = conn.QueryRow(t.Context(), `SELECT additive FROM `+cfg.Schema+`.migrations ORDER BY version DESC LIMIT 1`).Scan(&additive)
	if err != nil || !additive {
		t.Errorf("the newest step is additive: %v, %v", additive, err)
	}
	open(t, cfg)
}

// statement is one that a program has sent.
type statement struct {
	SQL   string   `json:"sql"`
	Types []string `json:"types"`
}

// TestStatementsOfEarlierPrograms prepares what programs that knew only an
// earlier step have sent, recorded in testdata/statements, on today's schema.
// Before a new step is added, record the program as it is:
//
//	MARU_RECORD_STATEMENTS=testdata/statements/0006.json go test ./memory/pgstore -run TestRecordOfStatements
func TestStatementsOfEarlierPrograms(t *testing.T) {
	t.Parallel()
	steps, err := fs.Glob(pgstore.Migrations(), "migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	cfg := made(t, pgstore.Migrations())
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `SET search_path = `+cfg.Schema); err != nil {
		t.Fatal(err)
	}
	for version := firstRecorded; version < len(steps); version++ {
		raw, err := os.ReadFile(filepath.Join("testdata", "statements", fmt.Sprintf("%04d.json", version)))
		if err != nil {
			t.Fatalf("record the program that knows %04d before a step is added to it, as the comment of this test says: %v", version, err)
		}
		n := 0
		for lines := json.NewDecoder(bytes.NewReader(raw)); lines.More(); n++ {
			var s statement
			if err := lines.Decode(&s); err != nil {
				t.Fatal(err)
			}
			q := fmt.Sprintf("PREPARE p%d_%d", version, n)
			if len(s.Types) > 0 {
				q += "(" + strings.Join(s.Types, ", ") + ")"
			}
			if _, err := conn.Exec(t.Context(), q+" AS "+s.SQL); err != nil {
				t.Errorf("the program that knows %04d fails: %v\n%s", version, err, s.SQL)
			}
		}
		if n < 50 {
			t.Errorf("%04d has only %d statements", version, n)
		}
		t.Logf("%d statements of the program that knows %04d", n, version)
	}
}

// firstRecorded is the earliest step whose program was recorded.
const firstRecorded = 5

// life is one message from its arrival to the record of what it taught.
func life(ctx context.Context, s *pgstore.Store, m *longterm.Memory, worker, n int) error {
	th := bot.Thread{Platform: "slack", Team: "T1", Channel: fmt.Sprint("C", worker), ID: "1"}
	key, id := th.Key(), fmt.Sprintf("%d/%d", worker, n)
	if _, err := s.Put(ctx, bot.Item{
		ID: id, Thread: key, Kind: bot.ItemMessage, Order: fmt.Sprint(n), Body: []byte(`{}`),
		Entry: &bot.Entry{ID: id, Thread: key, User: "U1", Text: "hello"},
	}); err != nil {
		return fmt.Errorf("put: %w", err)
	}
	l, it, ok, err := s.Take(ctx, key, "w", time.Minute)
	if err != nil || !ok || it.ID != id {
		return fmt.Errorf("take %s: got %q, %v, %w", id, it.ID, ok, err)
	}
	reply, _, err := s.Open(ctx, l, bot.Reply{Run: "r" + id, Thread: key, Item: id})
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	if err := s.SetRef(ctx, l, reply.Run, bot.Ref{Channel: th.Channel, Messages: []string{id}}); err != nil {
		return fmt.Errorf("set ref: %w", err)
	}
	reply.State = bot.ReplyFinal
	err = s.Finish(ctx, l, id, bot.Outcome{
		Reply: &reply, Entry: &bot.Entry{ID: reply.Run, Thread: key, Own: true, Text: "hi", Run: reply.Run},
		Jobs: []bot.Job{{ID: "j" + id, Kind: "learn", Person: "p", Body: []byte(`{}`)}}, Files: []bot.Artifact{{Run: reply.Run, Thread: key, Name: "a"}},
	})
	if err != nil {
		return fmt.Errorf("finish: %w", err)
	}
	if err := s.Release(ctx, l); err != nil {
		return fmt.Errorf("release: %w", err)
	}
	if err := s.SaveRun(ctx, bot.Run{ID: reply.Run, Thread: key, Agent: "chat", User: "U1", Status: "done", Day: "2026-11-21", Usage: []byte(`{}`)}); err != nil {
		return fmt.Errorf("save run: %w", err)
	}
	if _, err := s.AppendAudit(ctx, bot.AuditEntry{Team: "slack/T1", Who: "U1", What: "test"}); err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	o := longterm.Owner{Person: "p", Scopes: []string{"s"}, Home: "s"}
	err = m.Preferences.Consolidate(ctx, o, reply.Run, time.Now(), longterm.PreferenceLesson{Type: longterm.Fact, Subject: "team", Value: "data"})
	if err != nil {
		return fmt.Errorf("learn: %w", err)
	}
	return nil
}

// TestPreviousProgramsWriteWhileTheSchemaChanges lets two replicas of a program
// answer messages while two of its successor start, which change every table, and
// while a backup reads them all. Nothing fails and nothing is lost.
func TestPreviousProgramsWriteWhileTheSchemaChanges(t *testing.T) {
	t.Parallel()
	own := pgstore.Migrations()
	adds, contracts := memtest.Future(t, own)
	for name, c := range map[string]struct{ previous, next fs.FS }{"adds": {own, adds}, "contracts": {adds, contracts}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changeUnder(t, c.previous, c.next)
		})
	}
}

func changeUnder(t *testing.T, previous, next fs.FS) {
	t.Helper()
	cfg := config(t).WithSteps(previous)
	var done atomic.Int64
	var migrated atomic.Bool
	var writing, starting sync.WaitGroup
	for replica := range 2 {
		s := open(t, cfg)
		m := longterm.New(longterm.Config{Store: s.Memory()})
		for i := range 2 {
			worker := 2*replica + i
			writing.Go(func() {
				for n, after := 0, 0; after < 5 && t.Context().Err() == nil; n++ { // until it has gone on for a while on the new schema
					if err := life(t.Context(), s, m, worker, n); err != nil {
						t.Errorf("worker %d, message %d: %v", worker, n, err)
						return
					}
					done.Add(1)
					if migrated.Load() {
						after++
					}
				}
			})
		}
	}
	end := backUp(t, cfg)
	for range 2 {
		starting.Go(func() {
			s, err := pgstore.Open(t.Context(), cfg.WithSteps(next))
			if err != nil {
				t.Errorf("the next program: %v", err)
				return
			}
			defer s.Close()
			if err := s.Ping(t.Context()); err != nil {
				t.Errorf("the next program: %v", err)
			}
		})
	}
	before := done.Load()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for done.Load() < before+20 && !t.Failed() { // the backup reads, people are answered
		<-tick.C
	}
	waited := done.Load() - before
	if list, err := pgstore.Status(t.Context(), cfg); err != nil || list[len(list)-1].Newer {
		t.Errorf("the schema changed under the backup: %+v, %v", list, err)
	}
	end()
	starting.Wait()
	migrated.Store(true)
	writing.Wait()
	lived(t, cfg, int(done.Load()))
	t.Logf("%d messages by the previous program, %d of them while the next one waited for the backup", done.Load(), waited)
}

// tables are those of a schema, but for that of the migrations.
func tables(t *testing.T, conn *pgx.Conn, cfg pgstore.Config) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), `SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables
		WHERE schemaname = $1 AND tablename <> 'migrations'`, cfg.Schema)
	if err != nil {
		t.Fatal(err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(list) < 15 {
		t.Fatalf("tables: %v, %v", list, err)
	}
	return list
}

// backUp holds the locks of a backup until end is called.
func backUp(t *testing.T, cfg pgstore.Config) (end func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `BEGIN; LOCK TABLE `+strings.Join(tables(t, conn, cfg), ", ")+` IN ACCESS SHARE MODE`); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := conn.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// lived checks, with the previous program started again, that so many messages
// have left everything they had to.
func lived(t *testing.T, cfg pgstore.Config, messages int) {
	t.Helper()
	s := open(t, cfg)
	for what, want := range map[string]int{
		`items WHERE state = 1`: messages, `items`: messages, `entries`: 2 * messages, `replies WHERE state = 'final'`: messages,
		`jobs`: messages, `artifacts`: messages, `runs`: messages, `memory_notes`: messages, `audit`: messages,
	} {
		var n int
		if err := count(t, cfg, what).Scan(&n); err != nil || n != want {
			t.Errorf("%s: %d, %v; want %d", what, n, err, want)
		}
	}
	known, err := s.Memory().Find(t.Context(), longterm.Query{Person: "p", Anywhere: true}, true)
	if err != nil || len(known) != 1 || known[0].Samples != messages {
		t.Errorf("known: %+v, %v; want one record of %d samples", known, err, messages)
	}
	used, err := s.Usage(t.Context(), bot.UsageQuery{})
	total := 0
	for _, u := range used {
		total += u.Runs
	}
	if err != nil || total != messages {
		t.Errorf("usage counts %d runs, %v", total, err)
	}
	prev := ""
	for after := int64(0); ; {
		log, err := s.AuditLog(t.Context(), "slack/T1", after, 100)
		if err != nil {
			t.Fatal(err)
		}
		if len(log) == 0 {
			return
		}
		if broken, ok := bot.VerifyAudit(prev, log); !ok {
			t.Errorf("the audit log is broken at %d", broken)
		}
		after, prev = log[len(log)-1].Seq, log[len(log)-1].Hash
	}
}

// count counts rows of the schema.
func count(t *testing.T, cfg pgstore.Config, what string) pgx.Row {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), cfg.URL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) }) // it only read
	return conn.QueryRow(t.Context(), `SELECT count(*) FROM `+cfg.Schema+`.`+what)
}
