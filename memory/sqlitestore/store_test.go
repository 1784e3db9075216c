package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"maru/bot"
	"maru/memory/memtest"
	"maru/memory/sqlitestore"
)

// open gives a store in a folder of its own.
func open(t testing.TB, full bool) *sqlitestore.Store {
	t.Helper()
	s, err := sqlitestore.Open(t.Context(), sqlitestore.Config{Path: filepath.Join(t.TempDir(), "maru.db"), Full: full})
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

func TestRecord(t *testing.T) {
	t.Parallel()
	memtest.RunRecord(t, func(t *testing.T) bot.Record { return open(t, false) })
}
