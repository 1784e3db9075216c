// Package cache makes the bounded maps in which the parts of
// [maru/adapters/discord] remember what they have seen. What is forgotten there must
// be found again some other way, or not matter.
package cache

import (
	lru "github.com/hashicorp/golang-lru/v2"
)

// New returns a map that forgets what was used longest ago when it holds more
// than size. It is safe for concurrent use.
func New[V any](size int) *lru.Cache[string, V] {
	c, err := lru.New[string, V](size)
	if err != nil { // a size below 1
		panic("discord: " + err.Error())
	}
	return c
}
