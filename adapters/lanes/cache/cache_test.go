package cache_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"maru/adapters/lanes/cache"
)

func TestAFullCacheForgetsWhatWasUsedLeastRecently(t *testing.T) {
	t.Parallel()
	c := cache.New[string, int](3)
	for i, key := range []string{"a", "b", "c"} {
		c.Add(key, i)
	}
	if v, ok := c.Get("a"); !ok || v != 0 {
		t.Errorf("a is %d, %v", v, ok)
	}
	if !c.Has("b") { // looking is not using
		t.Error("b is gone")
	}
	c.Add("d", 3)
	var keys []string
	for key := range c.All() {
		keys = append(keys, key)
		c.Remove(key) // the sequence is of the moment of the call
	}
	if want := []string{"d", "a", "c"}; !slices.Equal(keys, want) {
		t.Errorf("kept %v, want %v", keys, want)
	}
	if c.Has("d") {
		t.Error("d was not removed")
	}
}

func TestAddNewLetsOneOfManyIn(t *testing.T) {
	t.Parallel()
	c := cache.New[int, bool](10)
	var first atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if c.AddNew(7, true) {
				first.Add(1)
			}
		})
	}
	wg.Wait()
	if n := first.Load(); n != 1 {
		t.Errorf("%d calls were the first", n)
	}
}
