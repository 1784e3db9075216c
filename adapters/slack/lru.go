package slack

import (
	"container/list"
	"sync"
)

// lru is a bounded map that forgets what was used longest ago.
type lru[K comparable, V any] struct {
	mu    sync.Mutex
	max   int
	order *list.List
	items map[K]*list.Element
}

type lruEntry[K comparable, V any] struct {
	key K
	val V
}

func newLRU[K comparable, V any](limit int) *lru[K, V] {
	return &lru[K, V]{max: limit, order: list.New(), items: make(map[K]*list.Element)}
}

func (l *lru[K, V]) get(k K) (V, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var zero V
	e, ok := l.items[k]
	if !ok {
		return zero, false
	}
	l.order.MoveToFront(e)
	ent, ok := e.Value.(*lruEntry[K, V])
	if !ok {
		return zero, false
	}
	return ent.val, true
}

func (l *lru[K, V]) put(k K, v V) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.items[k]; ok {
		e.Value = &lruEntry[K, V]{k, v}
		l.order.MoveToFront(e)
		return
	}
	l.items[k] = l.order.PushFront(&lruEntry[K, V]{k, v})
	if l.order.Len() <= l.max {
		return
	}
	last := l.order.Back()
	l.order.Remove(last)
	if ent, ok := last.Value.(*lruEntry[K, V]); ok {
		delete(l.items, ent.key)
	}
}

func (l *lru[K, V]) remove(k K) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e, ok := l.items[k]; ok {
		l.order.Remove(e)
		delete(l.items, k)
	}
}
