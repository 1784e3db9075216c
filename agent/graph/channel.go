package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Life is the lifetime of a state channel's value.
type Life int

// The lives of channels.
const (
	PerTurn   Life = iota // reset when a new turn's input comes
	PerThread             // kept over the turns of a thread
)

// String returns "turn" or "thread".
func (l Life) String() string {
	if l == PerThread {
		return "thread"
	}
	return "turn"
}

// kind is how a channel combines writes.
type kind string

const (
	kindLast  kind = "last"  // the last write wins; one writer a super-step
	kindFold  kind = "fold"  // a function of the old and the new value
	kindList  kind = "list"  // appended
	kindKeyed kind = "keyed" // appended, or replaced in place if the key is there
)

// op is the kind of a write to a state channel.
type op byte

const (
	opSet    op = '=' // the whole value
	opAdd    op = '+' // combined with the old value
	opRemove op = '-' // the items with these keys
)

// channel is a channel without its Go type.
type channel struct {
	name    string
	index   int
	life    Life
	kind    kind
	codec   string
	version int
	schema  *Schema

	apply  func(old any, o op, val any) (any, error)
	encode func(dst []byte, o op, val any) ([]byte, error)
	decode func(version int, o op, raw []byte) (any, error)
	typed  func(o op, v any) (any, bool) // a dynamic value that has the right type already
	show   func(v any) any               // the value for readers: never nil, never extendable
}

func (c *channel) tag() string {
	if c.version == 1 {
		return c.codec
	}
	return fmt.Sprintf("%s@%d", c.codec, c.version)
}

var errNoReducer = errors.New("the channel has no reducer: use Set")

// Chan is a typed channel with one value.
type Chan[T any] struct {
	ch    *channel
	codec Codec[T]
}

// NewLast adds a last-write-wins state channel to the schema. Two tasks of one super-step may not both write it.
func NewLast[T any](s *Schema, name string, life Life, c Codec[T]) Chan[T] {
	return newChan(s, name, life, c, nil)
}

// NewFold adds a channel to the schema that combines its value with each
// write. reduce must be deterministic and must not change its arguments.
func NewFold[T any](s *Schema, name string, life Life, c Codec[T], reduce func(old, add T) T) Chan[T] {
	if reduce == nil {
		s.problem("channel %q: NewFold needs a reduce function", name)
	}
	return newChan(s, name, life, c, reduce)
}

func newChan[T any](s *Schema, name string, life Life, c Codec[T], reduce func(old, add T) T) Chan[T] {
	ch := &channel{name: name, life: life, kind: kindLast, codec: c.Name, version: c.version()}
	if reduce != nil {
		ch.kind = kindFold
	}
	ch.apply = func(old any, o op, val any) (any, error) {
		switch {
		case o == opSet:
			return val, nil
		case o == opAdd && reduce != nil:
			a, _ := old.(T)
			b, _ := val.(T)
			return reduce(a, b), nil
		}
		return nil, errNoReducer
	}
	ch.encode = func(dst []byte, _ op, val any) ([]byte, error) {
		v, _ := val.(T)
		return c.Encode(dst, v)
	}
	ch.decode = func(version int, o op, raw []byte) (any, error) {
		if o != opSet && (o != opAdd || reduce == nil) {
			return nil, fmt.Errorf("a %s channel has no operation %q", ch.kind, o)
		}
		return c.decode(version, raw)
	}
	ch.typed = func(_ op, v any) (any, bool) {
		t, ok := v.(T)
		if !ok {
			return nil, false
		}
		clean, err := c.clean(t)
		return clean, err == nil
	}
	ch.show = func(v any) any {
		t, _ := v.(T)
		return t
	}
	s.add(ch, c.check())
	return Chan[T]{ch, c}
}

// Name returns the channel's name.
func (c Chan[T]) Name() string { return c.ch.name }

// Get returns the state channel's value, the zero value if unwritten. Readers must not change the memory behind it.
func (c Chan[T]) Get(s State) T {
	v, _ := s.raw(c.ch).(T)
	return v
}

// Set returns the write that replaces the value.
func (c Chan[T]) Set(v T) Write { return c.write(opSet, v) }

// Add returns the write that combines v with the value.
func (c Chan[T]) Add(v T) Write { return c.write(opAdd, v) }

func (c Chan[T]) write(o op, v T) Write {
	clean, err := c.codec.clean(v)
	if err == nil && o == opAdd && c.ch.kind != kindFold {
		err = errNoReducer
	}
	return Write{ch: c.ch, op: o, val: clean, err: err}
}

// List is a typed channel with a list of items.
type List[E any] struct {
	ch    *channel
	codec Codec[E]
}

// NewList adds a channel to the schema to which writes append. key names an
// item for Remove; it may be nil if nothing is ever removed.
func NewList[E any](s *Schema, name string, life Life, c Codec[E], key func(E) string) List[E] {
	return newList(s, &channel{name: name, life: life, kind: kindList}, c, key)
}

// NewKeyed adds a state channel to the schema with one item per key: an item with an existing key replaces the old
// one in its place, others are appended.
func NewKeyed[E any](s *Schema, name string, life Life, c Codec[E], key func(E) string) List[E] {
	if key == nil {
		s.problem("channel %q: NewKeyed needs a key function", name)
	}
	return newList(s, &channel{name: name, life: life, kind: kindKeyed}, c, key)
}

func newList[E any](s *Schema, ch *channel, c Codec[E], key func(E) string) List[E] {
	ch.codec, ch.version = c.Name, c.version()
	ch.apply = func(old any, o op, val any) (any, error) {
		have, _ := old.([]E)
		switch o {
		case opSet:
			items, _ := val.([]E)
			return slices.Clip(items), nil // the same write may go to another thread
		case opAdd:
			items, _ := val.([]E)
			if ch.kind == kindKeyed {
				return mergeByKey(have, items, key), nil
			}
			return append(have, items...), nil // the run owns the array behind len
		case opRemove:
			keys, _ := val.([]string)
			return removeKeys(have, keys, key)
		}
		return nil, fmt.Errorf("a list has no operation %q", o)
	}
	ch.encode = func(dst []byte, o op, val any) ([]byte, error) {
		if o == opRemove {
			return appendJSON(dst, val)
		}
		items, _ := val.([]E)
		return c.encodeList(dst, items)
	}
	ch.decode = func(version int, o op, raw []byte) (any, error) {
		switch o {
		case opRemove:
			return strictJSON[[]string](raw)
		case opSet, opAdd:
			return c.decodeList(version, raw)
		}
		return nil, fmt.Errorf("a list has no operation %q", o)
	}
	ch.typed = func(o op, v any) (any, bool) {
		if e, ok := v.(E); ok && o == opAdd {
			v = []E{e}
		}
		items, ok := v.([]E)
		if !ok {
			return nil, false
		}
		items, err := cleanAll(c, items)
		return items, err == nil
	}
	ch.show = func(v any) any {
		items, _ := v.([]E)
		return slices.Clip(items)
	}
	s.add(ch, c.check())
	return List[E]{ch, c}
}

// Name returns the channel's name.
func (l List[E]) Name() string { return l.ch.name }

// Get returns the items. Whoever reads must not change them; appending copies.
func (l List[E]) Get(s State) []E {
	items, _ := s.raw(l.ch).([]E)
	return slices.Clip(items)
}

// Set returns the write that replaces the whole list.
func (l List[E]) Set(items []E) Write { return l.write(opSet, slices.Clone(items)) }

// Add returns the write that appends items, or merges them by key.
func (l List[E]) Add(items ...E) Write { return l.write(opAdd, items) }

// Remove returns the write that removes the items with these keys. Keys that
// are not there are ignored.
func (l List[E]) Remove(keys ...string) Write {
	return Write{ch: l.ch, op: opRemove, val: keys}
}

func (l List[E]) write(o op, items []E) Write {
	items, err := cleanAll(l.codec, items)
	return Write{ch: l.ch, op: o, val: items, err: err}
}

func cleanAll[E any](c Codec[E], items []E) ([]E, error) {
	if c.Clean == nil {
		return items, nil
	}
	out := make([]E, len(items))
	for i, e := range items {
		v, err := c.Clean(e)
		if err != nil {
			return nil, fmt.Errorf("item %d: %w", i, err)
		}
		out[i] = v
	}
	return out, nil
}

// mergeByKey leaves have as it is: earlier readers still look at it. Writes
// bring few items, so looking through the list beats building an index.
func mergeByKey[E any](have, items []E, key func(E) string) []E {
	out, own := have, false
	for _, e := range items {
		k := key(e)
		i := slices.IndexFunc(out, func(o E) bool { return key(o) == k })
		switch {
		case i < 0:
			out = append(out, e)
			continue
		case !own && i < len(have):
			out, own = slices.Clone(out), true
		}
		out[i] = e
	}
	return out
}

func removeKeys[E any](have []E, keys []string, key func(E) string) ([]E, error) {
	if key == nil {
		return nil, errors.New("the channel was made without a key function")
	}
	gone := make(map[string]bool, len(keys))
	for _, k := range keys {
		gone[k] = true
	}
	out := make([]E, 0, len(have))
	for _, e := range have {
		if !gone[key(e)] {
			out = append(out, e)
		}
	}
	return out, nil
}

// dynamic converts a value of any Go type to the state channel's: verbatim if the type matches, else through JSON and
// the state channel's codec.
func (c *channel) dynamic(o op, v any) (any, error) {
	if t, ok := c.typed(o, v); ok {
		return t, nil
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if o == opAdd && (c.kind == kindList || c.kind == kindKeyed) && (len(raw) == 0 || raw[0] != '[') {
		raw = slices.Concat([]byte{'['}, raw, []byte{']'})
	}
	return c.decoded(c.version, o, raw)
}
