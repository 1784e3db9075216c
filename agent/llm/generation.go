package llm

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Generational is implemented by a [Cache] that several processes empty at once.
// A reply is found and kept under the generation in which it was asked for: with
// the next one all before it are lost, those too that were still being made.
type Generational interface {
	// Generation returns the current one. After an error nothing is read from the
	// cache nor kept.
	Generation(ctx context.Context) (string, error)
}

// SharedGenerations makes a cache in this process one of several whose generation
// is read from what they share: whoever changes it there empties all of them.
func SharedGenerations(c *MemoryCache, read func(ctx context.Context) (string, error)) Cache {
	return &generations{own: c, read: read}
}

type generations struct {
	own  *MemoryCache
	read func(ctx context.Context) (string, error)

	mu  sync.Mutex
	now string
}

var _ Generational = (*generations)(nil)

// Generation implements [Generational]. What is of a generation before goes.
func (g *generations) Generation(ctx context.Context) (string, error) {
	now, err := g.read(ctx)
	if err != nil {
		return "", fmt.Errorf("llm: read the generation of cached replies: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if now != g.now {
		g.now = now
		g.own.Clear()
	}
	return now, nil
}

// Get implements [Cache].
func (g *generations) Get(ctx context.Context, key string) ([]byte, bool, error) {
	return g.own.Get(ctx, key)
}

// Set implements [Cache].
func (g *generations) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	return g.own.Set(ctx, key, value, ttl)
}

// generation returns the one of a cache, "" of one that has none.
func generation(ctx context.Context, c Cache) (string, error) {
	g, ok := c.(Generational)
	if !ok {
		return "", nil
	}
	return g.Generation(ctx)
}
