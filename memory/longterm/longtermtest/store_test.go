package longtermtest_test

import (
	"sync"
	"testing"

	"maru/memory/longterm"
	"maru/memory/longterm/longtermtest"
	"maru/memory/memtest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	var made sync.Map
	memtest.RunMemory(t, func(t *testing.T) longterm.Store {
		s, _ := made.LoadOrStore(t.Name(), longtermtest.NewStore())
		return s.(*longtermtest.Store)
	})
}

func TestStoreByVectors(t *testing.T) {
	t.Parallel()
	memtest.RunMemoryVectors(t, longtermtest.NewStore())
}
