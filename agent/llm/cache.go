package llm

import (
	"container/list"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// Cache keeps finished replies by key. Get reports false for an unknown or
// expired key. A cache may lose anything at any time; an error is as good as a
// miss. Both are safe for concurrent use.
type Cache interface {
	Get(ctx context.Context, key string) ([]byte, bool, error)
	Set(ctx context.Context, key string, value []byte, ttl time.Duration) error
}

// Cached answers a request that was answered before from a cache, for these
// purposes only. The key is everything that can change the reply: model,
// prompt, tools, schema and parameters; since the prompt holds the passages, a
// reply never reaches someone who could not have got the same prompt. Only
// complete replies are kept. A hit costs nothing and is reported as such.
func Cached(m Model, c Cache, ttl time.Duration, purposes ...Purpose) Model {
	if s, ok := m.(Selector); ok {
		return wrapped(s, func(m Model) Model { return Cached(m, c, ttl, purposes...) })
	}
	return &cached{m, c, ttl, purposes}
}

type cached struct {
	model    Model
	cache    Cache
	ttl      time.Duration
	purposes []Purpose
}

func (c *cached) Name() string { return c.model.Name() }

func (c *cached) Generate(ctx context.Context, req Request, onDelta func(string)) (Response, error) {
	if !slices.Contains(c.purposes, req.Purpose) {
		return c.model.Generate(ctx, req, onDelta)
	}
	asked, err := generation(ctx, c.cache)
	if err != nil { // nobody knows what was forgotten
		return c.model.Generate(ctx, req, onDelta)
	}
	key, err := cacheKey(c.Name(), asked, req)
	if err != nil {
		return c.model.Generate(ctx, req, onDelta)
	}
	if resp, ok := c.get(ctx, key); ok {
		if onDelta != nil && resp.Message.Content != "" {
			onDelta(resp.Message.Content)
		}
		Report(ctx, Call{Purpose: req.Purpose, Model: resp.Model, Cached: true, Request: &req, Response: &resp})
		resp.Usage = Usage{}
		return resp, nil
	}
	resp, err := c.model.Generate(ctx, req, onDelta)
	if err == nil && (resp.Finish == "stop" || resp.Finish == "tool_calls") && legible(req, resp) {
		c.keep(ctx, asked, key, resp)
	}
	return resp, err
}

// legible reports whether a reply may be one that was asked for: a model that wrote
// words where a value of a schema was wanted may do better when it is asked again.
func legible(req Request, resp Response) bool {
	return req.Schema == nil || len(resp.Message.ToolCalls) > 0 || json.Valid([]byte(resp.Message.Content))
}

// keep stores a reply, unless what it was made of has been forgotten meanwhile.
// Losing it only costs the next call.
func (c *cached) keep(ctx context.Context, asked, key string, resp Response) {
	if now, err := generation(ctx, c.cache); err != nil || now != asked {
		return
	}
	if b, err := json.Marshal(resp); err == nil {
		_ = c.cache.Set(ctx, key, b, c.ttl)
	}
}

func (c *cached) get(ctx context.Context, key string) (Response, bool) {
	b, ok, err := c.cache.Get(ctx, key)
	if err != nil || !ok {
		return Response{}, false
	}
	var resp Response
	return resp, json.Unmarshal(b, &resp) == nil
}

// cacheKey hashes the request with its purpose and passages left in: the
// built-in model's reply depends on them.
func cacheKey(model, generation string, req Request) (string, error) {
	b, err := json.Marshal(struct {
		Model, Generation string
		Req               Request
	}{model, generation, req})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return "llm:" + hex.EncodeToString(sum[:]), nil
}

// MemoryCache is a [Cache] in this process that keeps the entries used last.
type MemoryCache struct {
	now func() time.Time
	max int

	mu    sync.Mutex
	order *list.List // of *entry, used last in front
	byKey map[string]*list.Element
}

type entry struct {
	key   string
	value []byte
	until time.Time
}

// NewMemoryCache returns an empty cache of at most size entries.
func NewMemoryCache(size int, now func() time.Time) *MemoryCache {
	return &MemoryCache{now: now, max: max(size, 1), order: list.New(), byKey: map[string]*list.Element{}}
}

var _ Cache = (*MemoryCache)(nil)

// Get implements [Cache].
func (c *MemoryCache) Get(_ context.Context, key string) ([]byte, bool, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	el, ok := c.byKey[key]
	if !ok {
		return nil, false, nil
	}
	e := el.Value.(*entry) //nolint:errcheck // the list holds nothing else
	if !c.now().Before(e.until) {
		c.remove(el)
		return nil, false, nil
	}
	c.order.MoveToFront(el)
	return e.value, true, nil
}

// Set implements [Cache].
func (c *MemoryCache) Set(_ context.Context, key string, value []byte, ttl time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.byKey[key]; ok {
		c.remove(el)
	}
	c.byKey[key] = c.order.PushFront(&entry{key, value, c.now().Add(ttl)})
	for c.order.Len() > c.max {
		c.remove(c.order.Back())
	}
	return nil
}

// Clear forgets everything.
func (c *MemoryCache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.byKey)
}

func (c *MemoryCache) remove(el *list.Element) {
	delete(c.byKey, el.Value.(*entry).key) //nolint:errcheck // as above
	c.order.Remove(el)
}
