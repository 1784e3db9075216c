package pgstore_test

import (
	"sync"
	"testing"

	"maru/memory/longterm"
	"maru/memory/memtest"
	"maru/memory/pgstore"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	sh := &shelf{parent: t}
	var taken sync.Map
	memtest.RunMemory(t, func(t *testing.T) longterm.Store {
		if cfg, ok := taken.Load(t.Name()); ok { // a second replica
			return open(t, cfg.(pgstore.Config)).Memory()
		}
		s, cfg := sh.takeWithConfig(t)
		taken.Store(t.Name(), cfg)
		return s.Memory()
	})
}
