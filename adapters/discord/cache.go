package discord

import (
	lru "github.com/hashicorp/golang-lru/v2"
)

// newCache returns a map that forgets what was used longest ago when it holds more
// than size. It is safe for concurrent use.
func newCache[V any](size int) *lru.Cache[string, V] {
	c, err := lru.New[string, V](size)
	if err != nil { // a size below 1
		panic("discord: " + err.Error())
	}
	return c
}
