package discord

// lru is a map of bounded size that forgets what was not used longest. It is
// not safe for concurrent use.
type lru[V any] struct {
	size  int
	items map[string]*lruItem[V]
	ring  *lruItem[V] // its next is the newest item, its prev the oldest
}

type lruItem[V any] struct {
	key        string
	value      V
	next, prev *lruItem[V]
}

func newLRU[V any](size int) *lru[V] {
	ring := &lruItem[V]{}
	ring.next, ring.prev = ring, ring
	return &lru[V]{size: size, items: make(map[string]*lruItem[V]), ring: ring}
}

func (i *lruItem[V]) unlink() { i.prev.next, i.next.prev = i.next, i.prev }

func (l *lru[V]) toFront(i *lruItem[V]) {
	i.prev, i.next = l.ring, l.ring.next
	i.prev.next, i.next.prev = i, i
}

func (l *lru[V]) get(key string) (V, bool) {
	i, ok := l.items[key]
	if !ok {
		var zero V
		return zero, false
	}
	i.unlink()
	l.toFront(i)
	return i.value, true
}

// peek is get without counting as a use.
func (l *lru[V]) peek(key string) (V, bool) {
	i, ok := l.items[key]
	if !ok {
		var zero V
		return zero, false
	}
	return i.value, true
}

func (l *lru[V]) put(key string, v V) {
	i, ok := l.items[key]
	if ok {
		i.unlink()
	} else {
		i = &lruItem[V]{key: key}
		l.items[key] = i
	}
	i.value = v
	l.toFront(i)
	if len(l.items) > l.size {
		l.drop(l.ring.prev.key)
	}
}

func (l *lru[V]) drop(key string) {
	if i, ok := l.items[key]; ok {
		i.unlink()
		delete(l.items, key)
	}
}

// keys returns the keys, newest first.
func (l *lru[V]) keys() []string {
	out := make([]string, 0, len(l.items))
	for i := l.ring.next; i != l.ring; i = i.next {
		out = append(out, i.key)
	}
	return out
}
