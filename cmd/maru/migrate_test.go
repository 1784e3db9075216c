package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"maru/memory/sqlitestore"
)

// A record that a newer program has changed is used as long as that program says
// that it may be, and `maru migrate status` says which it is.
func TestRecordAheadOfTheProgram(t *testing.T) {
	t.Parallel()
	unraced(t)
	for name, c := range map[string]struct {
		least       int // what the newer step needs
		serves      bool
		out, errors string
	}{
		"adds":      {0, true, "1 ahead of this program", ""},
		"contracts": {1, true, "it works with the record as it is", ""},
		"breaks":    {99, false, "0099_future", "needs a program that knows step 0099"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			env := []string{"DATA_DIR=" + dir}
			if code, _, stderr := runHere(t, "", env, "migrate"); code != 0 {
				t.Fatalf("migrate: exit %d: %s", code, stderr)
			}
			path := filepath.Join(dir, "maru.db")
			steps, err := sqlitestore.Status(t.Context(), sqlitestore.Config{Path: path})
			if err != nil {
				t.Fatal(err)
			}
			next := len(steps) + 1
			db, err := sql.Open("sqlite", path)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range []string{
				`ALTER TABLE threads ADD COLUMN future INTEGER NOT NULL DEFAULT 0`,
				fmt.Sprintf(`INSERT INTO migrations (version, name, least, applied) VALUES (%d, '0099_future', %d, 1)`, next, c.least),
				fmt.Sprintf(`PRAGMA user_version = %d`, next),
			} {
				if _, err := db.ExecContext(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			code, stdout, stderr := runHere(t, "", env, "migrate", "status")
			if (code == 0) != c.serves || !strings.Contains(stdout, c.out) || !strings.Contains(stdout, "by a newer program") || !strings.Contains(stderr, c.errors) {
				t.Errorf("status: exit %d\n%s\n%s", code, stdout, stderr)
			}
			code, stdout, stderr = runHere(t, "", env, "ask", "12.5 * 8?")
			if (code == 0) != c.serves || c.serves && !strings.Contains(stdout, "100") || !strings.Contains(stderr, c.errors) {
				t.Errorf("ask: exit %d\n%s\n%s", code, stdout, stderr)
			}
		})
	}
}

// TestMigrateWithoutItsServer: who asks where the schema is and reaches no database is told
// what to look at.
func TestMigrateWithoutItsServer(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"migrate"}, {"migrate", "status"}} {
		code, stdout, stderr := runHere(t, "", []string{"DATABASE_URL=postgres://u:hidden0@127.0.0.1:1/x"}, args...)
		if code != 1 || stdout != "" || !strings.Contains(stderr, "DATABASE_URL") || !strings.Contains(stderr, "check that PostgreSQL runs there") || strings.Contains(stderr, "hidden0") {
			t.Errorf("%v: exit %d\n%s\n%s", args, code, stdout, stderr)
		}
	}
}
