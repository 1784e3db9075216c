package graph

import (
	"container/list"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// cache keeps the heads of recently run threads in this process. A run removes its head from it, so that only one run
// may extend the head's slices.
type cache struct {
	limit int

	mu     sync.Mutex
	order  *list.List // of *entry, the newest first
	byName map[string]*list.Element
}

type entry struct {
	thread string
	plan   *Plan
	fence  int64 // the lease under which it was written
	head   *head
}

func newCache(limit int) *cache {
	return &cache{limit: limit, order: list.New(), byName: map[string]*list.Element{}}
}

// take removes and returns the thread's entry if it belongs to this plan.
func (c *cache) take(thread string, p *Plan) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.byName[thread]
	if el == nil {
		return nil
	}
	e, _ := c.order.Remove(el).(*entry)
	delete(c.byName, thread)
	if e.plan != p {
		return nil
	}
	return e
}

func (c *cache) put(e *entry) {
	if c.limit <= 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if el := c.byName[e.thread]; el != nil {
		c.order.Remove(el)
	}
	c.byName[e.thread] = c.order.PushFront(e)
	for c.order.Len() > c.limit {
		old, _ := c.order.Remove(c.order.Back()).(*entry)
		delete(c.byName, old.thread)
	}
}

func (c *cache) drop(thread string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el := c.byName[thread]; el != nil {
		c.order.Remove(el)
		delete(c.byName, thread)
	}
}

// look returns a copy of the cached head to read from; nil if there is none, or if
// something is known of its next tasks: that is for the run alone, which may take
// the head while the copy is read.
func (c *cache) look(thread string, p *Plan) *head {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.byName[thread]
	if el == nil {
		return nil
	}
	e, _ := el.Value.(*entry)
	if e.plan != p || len(e.head.pending) > 0 {
		return nil
	}
	h := *e.head
	h.pending = nil
	return &h
}

// trust notes that a cached head is the log's end under a lease.
func (c *cache) trust(thread string, p *Plan, seq, fence int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el := c.byName[thread]; el != nil {
		if e, _ := el.Value.(*entry); e.plan == p && e.head.seq == seq {
			e.fence = fence
		}
	}
}

// load returns the thread's head for a run to own: the copy in this process or
// the shared one if they are as new as the log, else the log replayed.
func (r *Runtime) load(ctx context.Context, p *Plan, thread, ns string, fence int64) (*head, error) {
	if r.log == nil {
		return p.newHead(), nil
	}
	if ns == "" {
		e := r.cache.take(thread, p)
		if e != nil && fence != 0 && e.fence == fence {
			return e.head, nil // no other writer is possible under this lease
		}
		if e != nil || r.shared != nil {
			seq, err := r.log.Head(ctx, thread, ns)
			if err != nil {
				return nil, fmt.Errorf("graph: head of thread %q: %w", thread, err)
			}
			if e != nil && e.head.seq == seq {
				return e.head, nil
			}
			if h := r.fromShared(ctx, p, thread, seq); h != nil {
				return h, nil
			}
		}
	}
	return r.replay(ctx, p, thread, ns)
}

func (r *Runtime) replay(ctx context.Context, p *Plan, thread, ns string) (*head, error) {
	records, err := r.log.Load(ctx, thread, ns)
	if err != nil {
		return nil, fmt.Errorf("graph: load thread %q: %w", thread, err)
	}
	h := p.newHead()
	for _, rec := range records {
		if err := p.replay(h, rec); err != nil {
			return nil, err
		}
	}
	if r.shared != nil {
		h.dirty = make([]bool, len(h.vals))
	}
	return h, nil
}

// store gives the head back after a run.
func (r *Runtime) store(ctx context.Context, x *run) {
	if r.log == nil || x.ns != "" {
		return
	}
	if r.shared != nil && len(x.head.pending) == 0 {
		r.toShared(ctx, x)
	}
	x.w, x.outs, x.todo, x.mark, x.buffer = bodyWriter{}, nil, nil, nil, nil
	r.cache.put(&entry{x.thread, x.plan, x.fence, x.head})
}

// headKey is the field of the shared copy that is not a channel: no channel
// can have this name.
const headKey = ".head"

// sharedHead is the shared cache's part of a head besides the state channels.
type sharedHead struct {
	Turn  string          `json:"turn"`
	Step  int             `json:"step"`
	Plan  string          `json:"plan"`
	Delta int             `json:"delta"`
	Snap  int             `json:"snap"`
	Body  json.RawMessage `json:"body"` // as of a snapshot, without updates
}

// mark notes which channels the shared copy lacks.
func (h *head) mark(writes []Write) {
	if h.dirty == nil {
		return
	}
	for _, w := range writes {
		h.dirty[w.ch.index] = true
	}
}

func (h *head) markReset(p *Plan) {
	if h.dirty == nil {
		return
	}
	for i, c := range p.schema.channels {
		if c.life == PerTurn && h.vals[i] != nil {
			h.dirty[i] = true
		}
	}
}

// toShared brings the shared copy up to date. Its failure costs the next
// reader time, nothing else.
func (r *Runtime) toShared(ctx context.Context, x *run) {
	h := x.head
	if h.shared == h.seq {
		return
	}
	if h.dirty == nil {
		h.dirty = make([]bool, len(h.vals))
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), lateWait)
	defer cancel()
	err := r.put(late, x, h.shared == 0)
	if errors.Is(err, ErrConflict) && h.shared != 0 {
		err = r.put(late, x, true) // the copy was lost or is another's
	}
	h.shared = 0
	switch {
	case err == nil:
		h.shared = h.seq
		clear(h.dirty)
	case !errors.Is(err, ErrConflict):
		r.slog.WarnContext(ctx, "shared copy of thread not written", "thread", x.thread, "err", err)
	}
}

func (r *Runtime) put(ctx context.Context, x *run, whole bool) error {
	changed, err := x.plan.share(x.head, whole)
	if err != nil {
		return err
	}
	return r.shared.Put(ctx, x.thread, x.head.shared, x.head.seq, changed, whole)
}

func (p *Plan) share(h *head, whole bool) (map[string]json.RawMessage, error) {
	bare := *h
	bare.vals = nil
	var w bodyWriter
	body, err := p.snapshot(&w, &bare)
	if err != nil {
		return nil, err
	}
	meta, err := appendJSON(nil, sharedHead{h.turn, h.step, h.plan, h.delta, h.snap, body})
	if err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{headKey: meta}
	for i, c := range p.schema.channels {
		switch {
		case h.vals[i] == nil && !whole && h.dirty[i]:
			out[c.name] = nil
		case h.vals[i] != nil && (whole || h.dirty[i]):
			if out[c.name], err = c.append(nil, opSet, h.vals[i]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// fromShared rebuilds a head from the shared copy if it is as new as the log.
// Anything wrong with the copy means to read the log.
func (r *Runtime) fromShared(ctx context.Context, p *Plan, thread string, seq int64) *head {
	if r.shared == nil || seq == 0 {
		return nil
	}
	state, at, ok, err := r.shared.Get(ctx, thread)
	if err != nil {
		r.slog.WarnContext(ctx, "shared copy of thread not read", "thread", thread, "err", err)
	}
	if err != nil || !ok || at != seq {
		return nil
	}
	h, err := p.unshare(state, thread, seq)
	if err != nil {
		r.slog.WarnContext(ctx, "shared copy of thread not usable", "thread", thread, "err", err)
		return nil
	}
	return h
}

func (p *Plan) unshare(state map[string]json.RawMessage, thread string, seq int64) (*head, error) {
	meta, err := strictJSON[sharedHead](state[headKey])
	if err != nil {
		return nil, err
	}
	b, err := decodeBody(meta.Body)
	if err != nil {
		return nil, err
	}
	for name, raw := range state {
		if name == headKey {
			continue
		}
		if err := (&parser{b: raw}).update(&b.Updates); err != nil {
			return nil, err
		}
	}
	h := p.newHead()
	rec := Record{Thread: thread, Seq: seq, Kind: RecordSnapshot, Turn: meta.Turn, Step: meta.Step, Plan: meta.Plan}
	if _, err := p.replayBody(h, rec, b); err != nil {
		return nil, err
	}
	h.seq, h.shared, h.delta, h.snap = seq, seq, meta.Delta, meta.Snap
	h.dirty = make([]bool, len(h.vals))
	return h, nil
}
