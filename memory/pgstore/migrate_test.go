package pgstore_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/memory/memtest"
	"maru/memory/pgstore"
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
	if testing.Short() {
		t.Skip("the suite of TestRecord once more: what it finds is in the SQL, and no race")
	}
	t.Parallel()
	adds, _ := memtest.Future(t, pgstore.Migrations())
	sh := &shelf{parent: t, steps: adds}
	memtest.RunRecord(t, func(t *testing.T) bot.Record { return sh.take(t) })
}

func TestNewerRecord(t *testing.T) {
	t.Parallel()
	memtest.RunNewerRecord(t, pgstore.Migrations(), func(t *testing.T, record, program fs.FS) (m memtest.Meeting) {
		t.Helper()
		cfg := made(t, record).WithSteps(program)
		m.Steps, m.Status = pgstore.Status(t.Context(), cfg)
		s, err := pgstore.Open(t.Context(), cfg)
		if err == nil {
			err = s.Close()
		}
		m.Open = err
		return m
	})
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
