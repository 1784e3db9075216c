package gateway

import (
	"sync"
	"sync/atomic"
	"testing"
)

// A reply may be settled while the adapter ends: what it begins besides is
// waited for all the same, and nothing panics.
func TestErrandsAtTheEnd(t *testing.T) {
	t.Parallel()
	for range 50 {
		var e errands
		var did atomic.Int32
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() { e.Go(func() { did.Add(1) }) })
		}
		e.Wait()
		callers.Wait()
		e.Wait()
		if did.Load() != 4 {
			t.Fatalf("%d of 4 were done", did.Load())
		}
	}
}
