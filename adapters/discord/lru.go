package discord

import "container/list"

// lru is a map of bounded size that forgets what was not used longest. It is
// not safe for concurrent use.
type lru[V any] struct {
	size  int
	items map[string]*list.Element
	order *list.List // newest first
}

type lruItem[V any] struct {
	key   string
	value V
}

func newLRU[V any](size int) *lru[V] {
	return &lru[V]{size: size, items: make(map[string]*list.Element), order: list.New()}
}

func (l *lru[V]) get(key string) (V, bool) {
	e, ok := l.items[key]
	if !ok {
		var zero V
		return zero, false
	}
	l.order.MoveToFront(e)
	return e.Value.(lruItem[V]).value, true
}

func (l *lru[V]) put(key string, v V) {
	if e, ok := l.items[key]; ok {
		e.Value = lruItem[V]{key, v}
		l.order.MoveToFront(e)
		return
	}
	l.items[key] = l.order.PushFront(lruItem[V]{key, v})
	if l.order.Len() > l.size {
		l.drop(l.order.Back().Value.(lruItem[V]).key)
	}
}

func (l *lru[V]) drop(key string) {
	if e, ok := l.items[key]; ok {
		l.order.Remove(e)
		delete(l.items, key)
	}
}

// keys returns the keys, newest first.
func (l *lru[V]) keys() []string {
	out := make([]string, 0, l.order.Len())
	for e := l.order.Front(); e != nil; e = e.Next() {
		out = append(out, e.Value.(lruItem[V]).key)
	}
	return out
}
