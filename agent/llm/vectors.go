package llm

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/jellydator/ttlcache/v3"
)

// VectorCache keeps the vectors of single texts for a short while: in one turn the
// documents, the memory and the tools are searched with the same question, and each
// visit of a loop searches again. It holds no text. It is safe for concurrent use.
type VectorCache struct {
	kept *ttlcache.Cache[any, any] // vectorKey to keptVector; as adapters/lanes/cache, so that the program has it once
	ttl  time.Duration
	now  func() time.Time
}

type keptVector struct {
	vector []float32
	until  time.Time
}

// vectorKey is the hash of a model's name and of a text.
type vectorKey [sha256.Size]byte

// maxVectors bounds a [VectorCache]: the questions of a minute, in a few megabytes.
const maxVectors = 256

// NewVectorCache returns an empty cache that keeps a vector for ttl. now is the clock.
func NewVectorCache(ttl time.Duration, now func() time.Time) *VectorCache {
	return &VectorCache{ttlcache.New(ttlcache.WithCapacity[any, any](maxVectors)), ttl, now}
}

// Before returns an embedder that asks e for what the cache does not hold. Passages, and
// several texts at once, pass it by. The vectors are shared: nobody may
// write into them.
func (c *VectorCache) Before(e Embedder) Embedder { return &remembered{e, c} }

type remembered struct {
	Embedder
	cache *VectorCache
}

// Embed implements Embedder.
func (r *remembered) Embed(ctx context.Context, kind TextKind, texts []string) ([][]float32, error) {
	if len(texts) != 1 || kind != QuestionText {
		return r.Embedder.Embed(ctx, kind, texts)
	}
	key := vectorKey(sha256.Sum256([]byte(r.Name() + "\x00" + texts[0])))
	// The cache's own expiry runs by the system's clock, which tests cannot set.
	if item := r.cache.kept.Get(key); item != nil {
		if k, ok := item.Value().(keptVector); ok && r.cache.now().Before(k.until) {
			return [][]float32{k.vector}, nil
		}
	}
	out, err := r.Embedder.Embed(ctx, kind, texts)
	if err == nil && len(out) == 1 {
		r.cache.kept.Set(key, keptVector{out[0], r.cache.now().Add(r.cache.ttl)}, ttlcache.NoTTL)
	}
	return out, err
}
