package pgstore_test

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/bot/audit"
	"maru/memory/longterm"
	"maru/memory/memtest"
	"maru/memory/pgstore"
)

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
	if _, err := s.AppendAudit(ctx, audit.Entry{Team: "slack/T1", Who: "U1", What: "test"}); err != nil {
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

// tables returns those of a schema, but for that of the migrations.
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
		if broken, ok := audit.Verify(prev, log); !ok {
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
