// Package blank caches which lookups of a record find nothing. It knows no table and no database.
package blank

import "sync"

// most limits the cached answers.
const most = 4096

// Cache holds the answers of lookups, by what they asked for. Whoever adds what a lookup may find clears it. Its zero value is
// ready for use, by several goroutines at once.
type Cache struct {
	mu      sync.Mutex
	cleared uint64          // how often
	none    map[string]bool // true where nothing was found
}

// Get returns the cached answer, and a version to pass to Put.
func (c *Cache) Get(of string) (none, known bool, version uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	none, known = c.none[of]
	return none, known, c.cleared
}

// Put caches an answer, unless the cache has been cleared since its version: something may have been added while the lookup read.
func (c *Cache) Put(of string, none bool, version uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cleared != version {
		return
	}
	if len(c.none) >= most {
		clear(c.none)
	}
	if c.none == nil {
		c.none = map[string]bool{}
	}
	c.none[of] = none
}

// Clear forgets all answers.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleared++
	clear(c.none)
}
