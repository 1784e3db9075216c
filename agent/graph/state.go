package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
)

// Schema is the set of channels of a graph. It is filled by [NewLast],
// [NewFold], [NewList] and [NewKeyed] and complete when a graph on it is
// compiled; mistakes are reported then, all at once.
type Schema struct {
	channels []*channel
	byName   map[string]*channel
	retired  map[string]bool
	problems []string
}

// NewSchema returns an empty schema.
func NewSchema() *Schema {
	return &Schema{byName: map[string]*channel{}, retired: map[string]bool{}}
}

var channelName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$`)

func (s *Schema) problem(format string, args ...any) {
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
}

func (s *Schema) add(c *channel, fault string) {
	c.schema, c.index = s, len(s.channels)
	if !channelName.MatchString(c.name) {
		s.problem("channel name %q is not of the form [a-zA-Z_][a-zA-Z0-9_.-]*", c.name)
	}
	if s.byName[c.name] != nil || s.retired[c.name] {
		s.problem("channel %q is declared twice", c.name)
	}
	if fault != "" {
		s.problem("channel %q: %s", c.name, fault)
	}
	s.channels = append(s.channels, c)
	s.byName[c.name] = c
}

// Retire declares that logs may still hold a state channel of this name and that its values are no longer wanted.
// Without it such a log is rejected.
func (s *Schema) Retire(name string) {
	if s.byName[name] != nil {
		s.problem("channel %q is declared and retired", name)
	}
	s.retired[name] = true
}

// ChannelInfo describes a channel.
type ChannelInfo struct {
	Name string
	Kind string // "last", "fold", "list" or "keyed"
	Life Life
	Type string // name of the codec, with "@version" from version 2 on
}

// Channels describes the channels in the order of their declaration.
func (s *Schema) Channels() []ChannelInfo {
	out := make([]ChannelInfo, len(s.channels))
	for i, c := range s.channels {
		out[i] = ChannelInfo{c.name, string(c.kind), c.life, c.tag()}
	}
	return out
}

// Set returns the write that replaces the value of the state channel of this name. v is the state channel's Go type,
// or anything whose JSON its codec reads.
func (s *Schema) Set(name string, v any) (Write, error) { return s.dynamic(name, opSet, v) }

// Add returns the write that combines v with the channel's value. For a list v
// is one item or a list of them.
func (s *Schema) Add(name string, v any) (Write, error) { return s.dynamic(name, opAdd, v) }

// Remove returns the write that removes items from a list by their keys.
func (s *Schema) Remove(name string, keys ...string) (Write, error) {
	c := s.byName[name]
	if c == nil {
		return Write{}, fmt.Errorf("graph: no channel %q", name)
	}
	if c.kind != kindList && c.kind != kindKeyed {
		return Write{}, fmt.Errorf("graph: channel %q is not a list", name)
	}
	return Write{ch: c, op: opRemove, val: keys}, nil
}

func (s *Schema) dynamic(name string, o op, v any) (Write, error) {
	c := s.byName[name]
	if c == nil {
		return Write{}, fmt.Errorf("graph: no channel %q", name)
	}
	if o == opAdd && c.kind == kindLast {
		return Write{}, fmt.Errorf("graph: channel %q: %w", name, errNoReducer)
	}
	val, err := c.dynamic(o, v)
	if err != nil {
		return Write{}, fmt.Errorf("graph: channel %q: %w", name, err)
	}
	return Write{ch: c, op: o, val: val}, nil
}

// State is a read-only view of a thread's channels. It costs nothing to copy
// and stays as it is when the run goes on.
type State struct {
	schema *Schema
	vals   []any
	arg    json.RawMessage
	local  any
}

// Local returns the caller's values for the nodes of this call, see [Call]; nil in a state outside a call. They are
// not part of the thread and are never recorded.
func (s State) Local() any { return s.local }

func (s State) raw(c *channel) any {
	if c.schema != s.schema {
		if s.schema == nil {
			return nil // the state of a thread that does not exist
		}
		panic(fmt.Sprintf("graph: channel %q is not of this graph's schema", c.name))
	}
	return s.vals[c.index]
}

// Value returns the value of the channel of this name, its zero value if
// nothing was written; ok is false if there is no such channel.
func (s State) Value(name string) (v any, ok bool) {
	if s.schema == nil {
		return nil, false
	}
	c := s.schema.byName[name]
	if c == nil {
		return nil, false
	}
	return c.show(s.vals[c.index]), true
}

// JSON returns the value of the channel of this name as its codec writes it.
func (s State) JSON(name string) (json.RawMessage, error) {
	if s.schema == nil || s.schema.byName[name] == nil {
		return nil, fmt.Errorf("graph: no channel %q", name)
	}
	c := s.schema.byName[name]
	raw, err := c.encoded(nil, opSet, s.vals[c.index])
	if err != nil {
		return nil, fmt.Errorf("graph: channel %q: %w", name, err)
	}
	return raw, nil
}

// Names returns the names of the channels in the order of their declaration.
func (s State) Names() []string {
	if s.schema == nil {
		return nil
	}
	out := make([]string, len(s.schema.channels))
	for i, c := range s.schema.channels {
		out[i] = c.name
	}
	return out
}

// Arg returns the argument of this task's [Send], nil if it came over an edge.
func (s State) Arg() json.RawMessage { return slices.Clip(s.arg) }

// Arg decodes the argument of this task's [Send].
func Arg[T any](s State) (T, error) {
	if s.arg == nil {
		var zero T
		return zero, errors.New("graph: the task was started by an edge and has no argument")
	}
	v, err := strictJSON[T](s.arg)
	if err != nil {
		return v, fmt.Errorf("graph: argument of the task: %w", err)
	}
	return v, nil
}

// Write is one update of a channel, made by the channel or by [Schema.Set] and
// [Schema.Add]. It is a value: nothing changes until the super-step is over.
type Write struct {
	ch  *channel
	op  op
	val any
	err error
}

// Channel returns the name of the channel that is written.
func (w Write) Channel() string {
	if w.ch == nil {
		return ""
	}
	return w.ch.name
}

// apply applies writes in order to vals, which the caller owns.
func (s *Schema) apply(vals []any, writes []Write) error {
	for _, w := range writes {
		if w.ch == nil || w.ch.schema != s {
			return fmt.Errorf("graph: a write to channel %q of another schema", w.Channel())
		}
		if w.err != nil {
			return fmt.Errorf("graph: channel %q: %w", w.ch.name, w.err)
		}
		v, err := w.ch.apply(vals[w.ch.index], w.op, w.val)
		if err != nil {
			return fmt.Errorf("graph: channel %q: %w", w.ch.name, err)
		}
		vals[w.ch.index] = v
	}
	return nil
}
