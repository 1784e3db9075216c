package pgstore_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
)

// TestPutBesideVacate puts an item into one thread of a workspace while its others are
// being vacated: it is buried with the others or can be claimed, and is not left where
// nobody looks.
func TestPutBesideVacate(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Timeout = 2 * time.Minute
	s := open(t, cfg)
	held, busy := bot.Thread{Platform: "slack", Team: "T1", Channel: "C", ID: "1"}.Key(), bot.Thread{Platform: "slack", Team: "T1", Channel: "C", ID: "2"}.Key()
	put := func(id, thread string) error {
		_, err := s.Put(t.Context(), bot.Item{ID: id, Thread: thread, Kind: bot.ItemMessage, Body: []byte("{}")})
		return err
	}
	for _, th := range []string{held, busy} {
		if err := put("first in "+th, th); err != nil {
			t.Fatal(err)
		}
	}
	var conns [2]*pgx.Conn // one holds a row, the other looks who waits for it
	for i := range conns {
		var err error
		if conns[i], err = pgx.Connect(t.Context(), cfg.URL); err != nil {
			t.Fatal(err)
		}
		defer conns[i].Close(t.Context())
	}
	conn := conns[0]
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	table := pgx.Identifier{cfg.Schema, "threads"}.Sanitize()
	if _, err := tx.Exec(t.Context(), `SELECT 1 FROM `+table+` WHERE key = $1 FOR UPDATE`, held); err != nil {
		t.Fatal(err)
	}
	vacated, added := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := s.Vacate(t.Context(), "slack", "T1", "gone")
		vacated <- err
	}()
	const waiting = `WITH first AS (SELECT pid FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid)))
		SELECT (SELECT count(*) FROM first), count(*) FROM pg_stat_activity a, first WHERE first.pid = ANY(pg_blocking_pids(a.pid))`
	blocked := func() (byUs, byVacate int) {
		t.Helper()
		if err := conns[1].QueryRow(t.Context(), waiting, conn.PgConn().PID()).Scan(&byUs, &byVacate); err != nil {
			t.Fatal(err)
		}
		return byUs, byVacate
	}
	for n := 0; n == 0; n, _ = blocked() {
		time.Sleep(5 * time.Millisecond)
	}
	go func() { added <- put("second", busy) }()
	for n := 0; n == 0 && len(added) == 0; _, n = blocked() {
		time.Sleep(5 * time.Millisecond)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, done := range []chan error{vacated, added} {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
	}
	n, _, err := s.Pending(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	_, item, _, err := s.Take(t.Context(), busy, "w", time.Minute)
	if err != nil || n == 1 && item.ID != "second" || n > 1 {
		t.Errorf("%d items wait, and the one that can be had is %q, %v", n, item.ID, err)
	}
}
