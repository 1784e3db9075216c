package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/memory/sqlitestore"
)

// TestContractStepsMayBeInTheRecordsFile: who names the record's own file, by
// whatever name, has the steps there, as without the setting.
func TestContractStepsMayBeInTheRecordsFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "steps.db")
	if err := os.Symlink(filepath.Join(dir, "maru.db"), link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "maru.db"), dir + "/./maru.db", link} {
		code, stdout, stderr := runHere(t, "", []string{"DATA_DIR=" + dir, "MARU_CONTRACT_CHECKPOINTS=" + path, "MARU_AGENT=contract"}, "ask", "2 + 3?")
		if code != exitOK || stdout == "" {
			t.Errorf("%s: exit %d, %q: %s", path, code, stdout, stderr)
		}
	}
}

// TestContractStepsOfAnotherProgram are told by the setting, the file and what to do.
func TestContractStepsOfAnotherProgram(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "steps.db")
	other, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: path, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	})
	code, _, stderr := runHere(t, "", []string{"DATA_DIR=" + t.TempDir(), "MARU_CONTRACT_CHECKPOINTS=" + path}, "ask", "hi")
	for _, want := range []string{"MARU_CONTRACT_CHECKPOINTS is", path, "in use by another process", "unset it"} {
		if code != exitFailed || !strings.Contains(stderr, want) {
			t.Errorf("exit %d, want %q: %s", code, want, stderr)
		}
	}
}
