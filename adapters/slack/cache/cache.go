// Package cache makes maps of bounded size for what is cheap to forget.
package cache

import lru "github.com/hashicorp/golang-lru/v2"

// New returns a map that forgets what was used longest ago when it holds more
// than size. It is safe for concurrent use.
func New[K comparable, V any](size int) *lru.Cache[K, V] {
	c, err := lru.New[K, V](size)
	if err != nil { // a size below 1
		panic("slack: " + err.Error())
	}
	return c
}
