package pgstore_test

import (
	"os"
	"testing"

	"maru/memory/memtest"
)

func TestMigrations(t *testing.T) {
	t.Parallel()
	memtest.RunMigrations(t, os.DirFS("migrations"))
}
