package sqlitestore_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"maru/bot"
	"maru/memory/longterm"
	"maru/memory/memtest"
	"maru/memory/sqlitestore"
)

func TestMigrations(t *testing.T) {
	t.Parallel()
	memtest.RunMigrations(t, os.DirFS("."))
}

// made makes a file as a program with these steps leaves it.
func made(t *testing.T, steps fs.FS) sqlitestore.Config {
	t.Helper()
	cfg := sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")}
	s, err := sqlitestore.Open(t.Context(), cfg.WithSteps(steps))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestProgramOnANewerRecord runs the whole suite of this program on a record that
// a newer one has added to: whoever goes back a version loses nothing.
func TestProgramOnANewerRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite of TestRecord once more: what it finds is in the SQL, and no race")
	}
	t.Parallel()
	adds, _ := memtest.Future(t, sqlitestore.Migrations())
	newer, err := os.ReadFile(made(t, adds).Path)
	if err != nil {
		t.Fatal(err)
	}
	again := func(t *testing.T) *sqlitestore.Store {
		t.Helper()
		cfg := sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db")}
		if err := os.WriteFile(cfg.Path, newer, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := sqlitestore.Open(t.Context(), cfg)
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
	t.Run("record", func(t *testing.T) {
		t.Parallel()
		memtest.RunRecord(t, func(t *testing.T) bot.Record { return again(t) })
	})
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		m := longterm.New(longterm.Config{Store: again(t).Memory()})
		o := longterm.Owner{Person: "p", Scopes: []string{"s"}, Home: "s"}
		lesson := longterm.PreferenceLesson{Type: longterm.Fact, Subject: "team", Value: "data"}
		if err := m.Preferences.Consolidate(t.Context(), o, "1", time.Now(), lesson); err != nil {
			t.Fatal(err)
		}
		if known, err := m.Known(t.Context(), "p"); err != nil || len(known) != 1 {
			t.Errorf("known: %+v, %v", known, err)
		}
	})
}

func TestNewerRecord(t *testing.T) {
	t.Parallel()
	memtest.RunNewerRecord(t, sqlitestore.Migrations(), func(t *testing.T, record, program fs.FS) (m memtest.Meeting) {
		t.Helper()
		cfg := made(t, record).WithSteps(program)
		m.Steps, m.Status = sqlitestore.Status(t.Context(), cfg)
		s, err := sqlitestore.Open(t.Context(), cfg)
		if err == nil {
			err = s.Close()
		}
		m.Open = err
		return m
	})
}

// TestFailedStepLeavesTheFileAsItWas lets the last of two new steps fail.
func TestFailedStepLeavesTheFileAsItWas(t *testing.T) {
	t.Parallel()
	cfg := made(t, sqlitestore.Migrations())
	before, err := sqlitestore.Status(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	steps, _ := memtest.Future(t, sqlitestore.Migrations())
	steps[fmt.Sprintf("migrations/%04d_faulty.sql", len(before)+2)] = &fstest.MapFile{Data: []byte("-- additive\nCREATE TABLE;\n")}
	if _, err := sqlitestore.Open(t.Context(), cfg.WithSteps(steps)); err == nil || !strings.Contains(err.Error(), "faulty") {
		t.Fatalf("open: %v, want the step that fails", err)
	}
	if after, err := sqlitestore.Status(t.Context(), cfg); err != nil || !slices.Equal(after, before) {
		t.Errorf("%v (%v), want the file as it was: %v", after, err, before)
	}
}

// TestFailedCommitOfAMigration: the error of the last statement says what failed, as those of the steps do.
func TestFailedCommitOfAMigration(t *testing.T) {
	t.Parallel()
	cfg := made(t, sqlitestore.Migrations())
	list, err := sqlitestore.Status(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	steps, _ := memtest.Future(t, sqlitestore.Migrations())
	steps[fmt.Sprintf("migrations/%04d_early.sql", len(list)+2)] = &fstest.MapFile{Data: []byte("-- additive\nCOMMIT;\n")} // leaves nothing to commit
	if _, err := sqlitestore.Open(t.Context(), cfg.WithSteps(steps)); err == nil || !strings.HasPrefix(err.Error(), "sqlitestore: migrate: ") {
		t.Errorf("open: %v", err)
	}
}

// A file from before the table of migrations is taken over as it is.
func TestRecordFromBeforeTheTableOfMigrations(t *testing.T) {
	t.Parallel()
	cfg := made(t, sqlitestore.Migrations())
	db, err := sql.Open("sqlite", cfg.Path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `DROP TABLE migrations`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	list, err := sqlitestore.Status(t.Context(), cfg)
	if err != nil || !list[len(list)-1].Done {
		t.Fatalf("status: %+v, %v", list, err)
	}
	adds, _ := memtest.Future(t, sqlitestore.Migrations())
	s, err := sqlitestore.Open(t.Context(), cfg.WithSteps(adds))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err = sqlitestore.Open(t.Context(), cfg) // back again: the newer step is declared
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
