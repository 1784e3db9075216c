package sqlitestore_test

import (
	"sync"
	"testing"

	"maru/memory/longterm"
	"maru/memory/memtest"
	"maru/memory/sqlitestore"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	var opened sync.Map // one file has one process: replicas share its store
	memtest.RunMemory(t, func(t *testing.T) longterm.Store {
		if s, ok := opened.Load(t.Name()); ok {
			return s.(*sqlitestore.Store).Memory()
		}
		s := open(t, false)
		opened.Store(t.Name(), s)
		return s.Memory()
	})
}

func TestMemoryByVectors(t *testing.T) {
	t.Parallel()
	memtest.RunMemoryVectors(t, open(t, false).Memory())
}
