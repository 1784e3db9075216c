package main

import (
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/bot/audit"
	"maru/memory/sqlitestore"
)

// TestAuditFromTheShell verifies a log of which the old part was pruned, exports
// what is asked for, and finds out when somebody takes entries away by hand.
func TestAuditFromTheShell(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "maru.db")
	fillAudit(t, path)
	env := []string{"DATA_DIR=" + dir}
	for _, c := range []struct {
		name string
		args []string
		want string // the entries' What, or a part of the output
	}{
		{"all", []string{"list"}, "document.add setting.set audit.prune"},
		{"who", []string{"list", "--who", "U2"}, "setting.set"},
		{"who_in_full", []string{"list", "--who", "slack/T1/U2"}, "setting.set"},
		{"what", []string{"list", "--what", "document"}, "document.add"},
		{"what_is_a_word", []string{"list", "--what", "doc"}, ""},
		{"since", []string{"list", "--since", "3d"}, "setting.set audit.prune"},
		{"team", []string{"list", "--team", "slack/T2"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := runHere(t, "", env, append([]string{"audit"}, c.args...)...)
			var what []string
			for d := json.NewDecoder(strings.NewReader(out)); d.More(); {
				var e audit.Entry
				if err := d.Decode(&e); err != nil {
					t.Fatal(err)
				}
				what = append(what, e.What)
			}
			if got := strings.Join(what, " "); code != 0 || got != c.want {
				t.Errorf("exit %d, %q, want %q\n%s", code, got, c.want, errs)
			}
		})
	}
	_, out, _ := runHere(t, "", env, "audit", "list", "--format", "csv", "--who", "U2")
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][5] != `{"key":"agent, \"x\""}` {
		t.Errorf("csv %q, %v", rows, err)
	}
	code, out, _ := runHere(t, "", env, "audit", "verify")
	if code != 0 || !strings.Contains(out, "3 entries  whole; 2 older ones pruned, from before ") {
		t.Errorf("exit %d: %s", code, out)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `DROP TRIGGER audit_no_delete; DELETE FROM audit WHERE what = 'document.add'`); err != nil {
		t.Fatal(err)
	}
	code, out, _ = runHere(t, "", env, "audit", "verify")
	if code == 0 || !strings.Contains(out, "BROKEN: what stood before entry 4 is gone") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// fillAudit writes an audit log of which the first two entries are pruned.
func fillAudit(t *testing.T, path string) {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for _, e := range []audit.Entry{
		{At: now.AddDate(0, 0, -30), What: "document.add", Who: "U1"}, {At: now.AddDate(0, 0, -20), What: "setting.set", Who: "U2"},
		{At: now.AddDate(0, 0, -5), What: "document.add", Who: "U1"},
		{At: now.Add(-time.Hour), What: "setting.set", Who: "U2", Detail: json.RawMessage(`{"key":"agent, \"x\""}`)},
	} {
		e.Team = "slack/T1"
		if _, err := s.AppendAudit(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := s.PruneAudit(t.Context(), "slack/T1", now.AddDate(0, 0, -10)); err != nil || p.Entries != 2 {
		t.Fatalf("pruned %+v, %v", p, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}
