package pgstore_test

import (
	"strings"
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

// pgvector is in few servers, and PGlite, which has it, keeps the statements that one
// connection has prepared for all that come after it: they have no names here.
func TestMemoryByVectors(t *testing.T) {
	t.Parallel()
	url := servers.PGVector(t)
	join := "?"
	if strings.Contains(url, "?") {
		join = "&"
	}
	url += join + "default_query_exec_mode=cache_describe"
	memtest.RunMemoryVectors(t, open(t, pgstore.Config{URL: url, Schema: servers.Name()}).Memory())
}
