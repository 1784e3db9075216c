// Package cache holds maps of bounded size for facts that adapters can look up again. A full map
// forgets what was used least recently. It knows no platform.
package cache

import (
	"iter"

	"github.com/jellydator/ttlcache/v3"
)

// Cache is a bounded map that is safe for concurrent use.
type Cache[K comparable, V any] struct {
	// One instantiation for all: each would add 110 functions to the program, and there are twenty.
	items *ttlcache.Cache[any, any]
}

// New returns a Cache of at most size entries; size is at least 1.
func New[K comparable, V any](size uint64) *Cache[K, V] {
	if size < 1 {
		panic("cache: New needs a size")
	}
	return &Cache[K, V]{ttlcache.New(ttlcache.WithCapacity[any, any](size))}
}

// Get returns the value of a key and marks it as used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	if item := c.items.Get(key); item != nil {
		value, _ = item.Value().(V) // nil, if V is an interface, is no V
		return value, true
	}
	return value, false
}

// Has reports whether a key is kept, without marking it as used.
func (c *Cache[K, V]) Has(key K) bool { return c.items.Has(key) }

// Add sets the value of a key.
func (c *Cache[K, V]) Add(key K, value V) { c.items.Set(key, value, ttlcache.NoTTL) }

// AddNew sets the value of a key that is not kept yet and reports whether it did. Of several calls
// at once one does.
func (c *Cache[K, V]) AddNew(key K, value V) bool {
	_, kept := c.items.GetOrSet(key, value)
	return !kept
}

// Remove forgets a key.
func (c *Cache[K, V]) Remove(key K) { c.items.Delete(key) }

// All returns the entries, the most recently used first, as they are when it is called.
func (c *Cache[K, V]) All() iter.Seq2[K, V] {
	type entry struct {
		key   K
		value V
	}
	all := make([]entry, 0, c.items.Len())
	c.items.Range(func(i *ttlcache.Item[any, any]) bool {
		key, _ := i.Key().(K)
		value, _ := i.Value().(V)
		all = append(all, entry{key, value})
		return true
	})
	return func(yield func(K, V) bool) {
		for _, e := range all {
			if !yield(e.key, e.value) {
				return
			}
		}
	}
}
