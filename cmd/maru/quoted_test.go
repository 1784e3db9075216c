package main

import (
	"path/filepath"
	"strings"
	"testing"

	"maru/bot"
	"maru/memory/sqlitestore"
)

// TestANameOfAWorkspaceMovesNothing: whoever named a workspace does not write to the
// operator's terminal, nor into other columns of the list.
func TestANameOfAWorkspaceMovesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(dir, "maru.db")})
	if err != nil {
		t.Fatal(err)
	}
	in := bot.Installation{Platform: "slack", Team: "T1", State: bot.InstallActive, Name: "Ac\u009b2Jme\tT9\n\u202egnp.exe\x1b[1m"}
	if _, err := s.SaveInstallation(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	code, out, errs := runHere(t, "", []string{"DATA_DIR=" + dir}, "installs")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != exitOK || len(lines) != 2 || strings.ContainsAny(out, "\u009b\u202e\x1b\t") || !strings.Contains(lines[1], "Ac2Jme T9 gnp.exe[1m  active") {
		t.Errorf("code %d, %q, %s", code, out, errs)
	}
}

// TestTheDoctorQuotesWithoutEffect: what a server says of itself is no command to the
// terminal.
func TestTheDoctorQuotesWithoutEffect(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	d := &examination{out: &out}
	d.bad("mcp", "files: broken\x1b[2J \u009b31mpipe", "start it\u202e by hand")
	if want := "✗ mcp          files: broken[2J 31mpipe\n               → start it by hand\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
