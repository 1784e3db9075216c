package sqlitestore_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"maru/bot"
	"maru/memory/memtest"
	"maru/memory/sqlitestore"
)

func TestSweepRemovesWhatHasServedItsTime(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db"), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	key := bot.Thread{Platform: "slack", Team: "T", Channel: "C", ID: "1"}.Key()
	item := bot.Item{ID: "1", Thread: key}
	put := func() bool {
		t.Helper()
		fresh, err := s.Put(t.Context(), item)
		if err != nil {
			t.Fatal(err)
		}
		return fresh
	}
	put()
	if err := s.Forget(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	now = now.Add(25 * time.Hour)
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if put() {
		t.Error("an item was forgotten within a day")
	}
	now = now.Add(30 * 24 * time.Hour)
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !put() {
		t.Error("an item is remembered for ever")
	}
}

// A dead job is there for whoever looks into it, for a month.
func TestDeadJobsAreSwept(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db"), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	memtest.Buried(t, s, "u", "old")
	now = now.Add(29 * 24 * time.Hour)
	memtest.Buried(t, s, "u", "young")
	now = now.Add(2 * 24 * time.Hour)
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
	path := filepath.Join(t.TempDir(), "maru.db")
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"asked", ""} {
		if err := s.SetNote(t.Context(), "halt/r1", value); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var rows int
	if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM notes`).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows, %v", rows, err)
	}
}
