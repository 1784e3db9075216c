package pgstore_test

import (
	"os"
	"sync"
	"testing"

	"maru/memory/longterm"
	"maru/memory/memtest"
	"maru/memory/memtest/servers"
	"maru/memory/pgstore"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	memtest.RunMemory(t, replicas(&shelf{parent: t}))
}

// replicas opens the same memory for whoever asks twice in one test.
func replicas(sh *shelf) func(t *testing.T) longterm.Store {
	var taken sync.Map
	return func(t *testing.T) longterm.Store {
		t.Helper()
		if cfg, ok := taken.Load(t.Name()); ok { // a second replica
			return open(t, cfg.(pgstore.Config)).Memory()
		}
		s, cfg := sh.takeWithConfig(t)
		taken.Store(t.Name(), cfg)
		return s.Memory()
	}
}

// pgvector is in few servers: MARU_TEST_PGVECTOR_URL names one that has it.
func TestMemoryByVectors(t *testing.T) {
	t.Parallel()
	url := os.Getenv("MARU_TEST_PGVECTOR_URL")
	if url == "" {
		t.Skip("MARU_TEST_PGVECTOR_URL names no PostgreSQL with pgvector")
	}
	memtest.RunMemoryVectors(t, open(t, pgstore.Config{URL: url, Schema: servers.Name()}).Memory())
}
