package datatest_test

import (
	"os"
	"path/filepath"
	"testing"

	"maru/datatest"
)

func TestFind(t *testing.T) {
	sets := filepath.Join(t.TempDir(), "shared", "data")
	below := filepath.Join(filepath.Dir(filepath.Dir(sets)), "a", "b")
	for _, dir := range []string{sets, below} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("MARU_SHARED_DATA", "")
	t.Chdir(below)
	if got, ok := datatest.Find(); !ok || got != sets {
		t.Errorf("from below it is %q, %v; want %q", got, ok, sets)
	}
	t.Setenv("MARU_SHARED_DATA", below)
	if got, ok := datatest.Find(); !ok || got != below {
		t.Errorf("named by the environment it is %q, %v; want %q", got, ok, below)
	}
}
