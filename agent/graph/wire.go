package graph

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The body of a record is one JSON object with short field names:
//
//	t  tasks that finished, each [index, update, …]
//	u  updates that no task wrote (input, update, snapshot)
//	n  the next nodes: "node" or ["node", argument]; absent: the turn is over
//	   (of an update: the next nodes stay)
//	w  joins that have seen some of their sources: {"target": ["source", …]}
//	q  questions of tasks     a  answers     e  an effect     h  a snapshot's head
//
// An update is [channel, type, operation, value]. Unknown fields are errors.
type body struct {
	Tasks   []taskBody
	Updates []update
	Next    []target
	Wait    map[string][]string
	Asks    []Interrupt
	Answers []Answer
	Effect  *effectBody
	Head    *headBody
	routed  bool // n is there, maybe empty
}

type taskBody struct {
	index   int
	updates []update
}

type update struct {
	channel, tag string
	op           op
	value        json.RawMessage
}

// target is a task to run: a node and the argument of a Send.
type target struct {
	name string
	node int // index in the plan, unknownNode if the plan has none of this name
	arg  json.RawMessage
}

const unknownNode = -2

type effectBody struct {
	Task   int             `json:"i"`
	Name   string          `json:"k"`
	State  string          `json:"s,omitempty"` // "" done, "intent", "none"
	Result json.RawMessage `json:"v,omitempty"`
}

type headBody struct {
	Base     int64    `json:"base"`
	From     *Origin  `json:"from,omitempty"` // of a fork
	Turns    []string `json:"turns,omitempty"`
	Answered []Answer `json:"answered,omitempty"`
}

// decode turns stored updates into writes of this schema. Updates of retired
// channels are left out.
func (s *Schema) decode(updates []update) (writes []Write, channel string, err error) {
	writes = make([]Write, 0, len(updates))
	for _, u := range updates {
		if s.retired[u.channel] {
			continue
		}
		c := s.byName[u.channel]
		if c == nil {
			return nil, u.channel, errors.New("the schema has no such channel; retire it if it is no longer wanted")
		}
		name, version, err := parseTag(u.tag)
		if err != nil {
			return nil, u.channel, err
		}
		if name != c.codec {
			return nil, u.channel, fmt.Errorf("holds type %q, the schema says %q", u.tag, c.tag())
		}
		val, err := c.decoded(version, u.op, u.value)
		if err != nil {
			return nil, u.channel, err
		}
		writes = append(writes, Write{ch: c, op: u.op, val: val})
	}
	return writes, "", nil
}

func parseTag(tag string) (name string, version int, err error) {
	name, v, ok := strings.Cut(tag, "@")
	if !ok {
		return name, 1, nil
	}
	version, err = strconv.Atoi(v)
	if err != nil || version < 1 {
		return "", 0, fmt.Errorf("type %q has no valid version", tag)
	}
	return name, version, nil
}

// appendWrites appends updates, each preceded by a comma if comma is set.
func appendWrites(dst []byte, writes []Write, comma bool) ([]byte, error) {
	var err error
	for _, w := range writes {
		if comma {
			dst = append(dst, ',')
		}
		comma = true
		if dst, err = w.ch.append(dst, w.op, w.val); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// append appends one update. Names of channels and codecs need no escapes.
func (c *channel) append(dst []byte, o op, val any) ([]byte, error) {
	dst = append(append(dst, `["`...), c.name...)
	dst = append(append(dst, `","`...), c.codec...)
	if c.version > 1 {
		dst = strconv.AppendInt(append(dst, '@'), int64(c.version), 10)
	}
	dst = append(append(dst, `","`...), byte(o), '"', ',')
	dst, err := c.encoded(dst, o, val)
	if err != nil {
		return nil, fmt.Errorf("graph: channel %q: %w", c.name, err)
	}
	return append(dst, ']'), nil
}

// encoded and decoded call the codec; its panic is an error.
func (c *channel) encoded(dst []byte, o op, val any) (out []byte, err error) {
	defer caught(&err)
	return c.encode(dst, o, val)
}

func (c *channel) decoded(version int, o op, raw []byte) (val any, err error) {
	defer caught(&err)
	return c.decode(version, o, raw)
}

// bodyWriter writes the fields of one body.
type bodyWriter struct {
	b   []byte
	any bool
}

func (w *bodyWriter) field(name byte) {
	if w.any {
		w.b = append(w.b, ',')
	} else {
		w.b = append(w.b, '{')
		w.any = true
	}
	w.b = append(w.b, '"', name, '"', ':')
}

func (w *bodyWriter) updates(writes []Write) error {
	if len(writes) == 0 {
		return nil
	}
	w.field('u')
	b, err := appendWrites(append(w.b, '['), writes, false)
	if err != nil {
		return err
	}
	w.b = append(b, ']')
	return nil
}

// task appends one finished task to an open list.
func appendTask(dst []byte, index int, writes []Write) ([]byte, error) {
	dst = strconv.AppendInt(append(dst, '['), int64(index), 10)
	dst, err := appendWrites(dst, writes, true)
	if err != nil {
		return nil, err
	}
	return append(dst, ']'), nil
}

func (w *bodyWriter) next(next []target) {
	if len(next) == 0 {
		return
	}
	w.field('n')
	w.b = append(w.b, '[')
	for i, t := range next {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		if t.arg == nil {
			w.b = append(append(append(w.b, '"'), t.name...), '"')
			continue
		}
		w.b = append(append(append(w.b, `["`...), t.name...), `",`...)
		w.b = append(append(w.b, t.arg...), ']')
	}
	w.b = append(w.b, ']')
}

// wait writes the joins that have seen some, but not all of their sources.
func (w *bodyWriter) wait(p *Plan, seen []uint64) error {
	waits := map[string][]string{}
	for i, bits := range seen {
		for k, src := range p.joins[i].sources {
			if bits&(1<<k) != 0 {
				name := p.nodes[p.joins[i].target].name
				waits[name] = append(waits[name], p.nodes[src].name)
			}
		}
	}
	if len(waits) == 0 {
		return nil
	}
	return w.json('w', waits)
}

func (w *bodyWriter) json(name byte, v any) error {
	w.field(name)
	b, err := appendJSON(w.b, v)
	if err != nil {
		return err
	}
	w.b = b
	return nil
}

// done returns a copy of the body and reuses its buffer.
func (w *bodyWriter) done() json.RawMessage {
	if !w.any {
		w.b = append(w.b, '{')
	}
	w.b = append(w.b, '}')
	return bytes.Clone(w.b)
}

func encodeAnswers(answers []Answer) (json.RawMessage, error) {
	var w bodyWriter
	if err := w.json('a', answers); err != nil {
		return nil, err
	}
	return w.done(), nil
}

// restoreWait turns the stored waits of joins into bits of this plan's, and
// returns the joins that the plan does not have.
func (p *Plan) restoreWait(waits map[string][]string) (seen []uint64, missing []string) {
	if len(p.joins) == 0 && len(waits) == 0 {
		return nil, nil
	}
	seen = make([]uint64, len(p.joins))
	for _, name := range slices.Sorted(maps.Keys(waits)) {
		i := slices.IndexFunc(p.joins, func(j planJoin) bool { return p.nodes[j.target].name == name })
		if i < 0 {
			missing = append(missing, name)
			continue
		}
		for k, src := range p.joins[i].sources {
			if slices.Contains(waits[name], p.nodes[src].name) {
				seen[i] |= 1 << k
			}
		}
	}
	return seen, missing
}
