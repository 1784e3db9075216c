package graph

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// keptTurns and keptAnswers bound the finished turns and answered questions that a thread remembers, for
// deduplication.
const (
	keptTurns   = 16
	keptAnswers = 64
)

// head is a thread after its newest record: the state, the next nodes, and the progress of the unfinished super-step.
// Replaying a log and running a graph lead to the same head.
type head struct {
	seq  int64
	turn string
	plan string // hash of the plan under which the turn goes on
	step int    // finished super-steps of the turn
	base int64  // seq of the record that made next: part of every task's id
	done bool   // the turn is over

	vals    []any
	next    []target
	wait    []uint64 // a bit for each source that each join has seen
	missing []string // joins of an older plan that this one lacks
	pending map[int]*pending

	turns  []string // former turns, oldest first
	recent []Answer // answers, oldest first

	delta, snap int // bytes of records since the last snapshot, and of it

	shared int64  // seq of the shared copy, 0 if unknown
	dirty  []bool // channels that the shared copy lacks; nil without one
}

// pending is the progress of one task of an unfinished super-step.
type pending struct {
	done    bool
	writes  []Write
	asks    []Interrupt
	answers map[string]Answer
	effects map[string]effectBody
	fresh   bool // an answer came since the task ran last
}

func (p *Plan) newHead() *head {
	return &head{vals: slices.Clone(p.zero), done: true}
}

func (h *head) task(i int) *pending {
	if h.pending == nil {
		h.pending = map[int]*pending{}
	}
	p := h.pending[i]
	if p == nil {
		p = &pending{}
		h.pending[i] = p
	}
	return p
}

// open returns the questions of a task that wait for an answer.
func (p *pending) open() int {
	n := 0
	for _, q := range p.asks {
		if _, ok := p.answers[q.ID]; !ok {
			n++
		}
	}
	return n
}

// interrupts returns the questions that wait, in the order of their tasks.
func (h *head) interrupts() []Interrupt {
	var out []Interrupt
	for i := range h.next {
		p := h.pending[i]
		if p == nil || p.done {
			continue
		}
		for _, q := range p.asks {
			if _, ok := p.answers[q.ID]; !ok {
				out = append(out, q)
			}
		}
	}
	return out
}

func (h *head) waiting(id string) (Interrupt, bool) {
	for _, q := range h.interrupts() {
		if q.ID == id {
			return q, true
		}
	}
	return Interrupt{}, false
}

func (h *head) answered(id string) (Answer, bool) {
	if i := indexAnswer(h.recent, id); i >= 0 {
		return h.recent[i], true
	}
	return Answer{}, false
}

// take applies recorded answers.
func (h *head) take(answers []Answer) {
	for _, a := range answers {
		for i := range h.next {
			p := h.pending[i]
			if p == nil || !slices.ContainsFunc(p.asks, func(q Interrupt) bool { return q.ID == a.ID }) {
				continue
			}
			if p.answers == nil {
				p.answers = map[string]Answer{}
			}
			p.answers[a.ID] = a
			p.fresh = true
		}
		h.recent = append(h.recent, a)
	}
	if n := len(h.recent) - keptAnswers; n > 0 {
		h.recent = slices.Clone(h.recent[n:])
	}
}

func (h *head) asks(qs []Interrupt) {
	for _, q := range qs {
		p := h.task(q.Task)
		if !slices.ContainsFunc(p.asks, func(o Interrupt) bool { return o.ID == q.ID }) {
			p.asks = append(p.asks, q)
		}
	}
}

func (h *head) effect(e effectBody) {
	p := h.task(e.Task)
	if p.effects == nil {
		p.effects = map[string]effectBody{}
	}
	if e.State == effectNone {
		delete(p.effects, e.Name)
		return
	}
	p.effects[e.Name] = e
}

// begin starts a turn on the head.
func (h *head) begin(p *Plan, turn string) {
	if h.turn != "" && h.turn != turn {
		h.turns = append(h.turns, h.turn)
		if n := len(h.turns) - keptTurns; n > 0 {
			h.turns = slices.Clone(h.turns[n:])
		}
	}
	h.turn, h.step = turn, 0
	h.vals = p.reset(h.vals)
}

// reset returns the values with which a new turn begins.
func (p *Plan) reset(vals []any) []any {
	out := make([]any, len(vals))
	for i, c := range p.schema.channels {
		if c.life == PerThread {
			out[i] = vals[i]
		}
	}
	return out
}

// advance moves the head to the next nodes. The records of this super-step end at base.
func (h *head) advance(plan string, next []target, wait []uint64, base int64) {
	h.plan, h.next, h.wait, h.base, h.missing = plan, next, wait, base, nil
	h.done = len(next) == 0
	clear(h.pending)
}

// replay applies one stored record. Records must come in order; the first may
// be a snapshot.
func (p *Plan) replay(h *head, r Record) error {
	fail := func(channel string, err error) error {
		return &RecordError{r.Thread, r.NS, r.Seq, channel, err}
	}
	if r.Seq != h.seq+1 && (h.seq != 0 || r.Kind != RecordSnapshot) {
		return fail("", fmt.Errorf("follows seq %d: there is a gap", h.seq))
	}
	b, err := decodeBody(r.Body)
	if err != nil {
		return fail("", err)
	}
	if channel, err := p.replayBody(h, r, b); err != nil {
		return fail(channel, err)
	}
	h.seq = r.Seq
	if r.Kind == RecordSnapshot {
		h.delta, h.snap = 0, len(r.Body)
	} else {
		h.delta += len(r.Body)
	}
	return nil
}

func (p *Plan) replayBody(h *head, r Record, b body) (channel string, err error) {
	writes, channel, err := p.schema.decode(b.Updates)
	if err != nil {
		return channel, err
	}
	for i := range b.Next {
		if n, ok := p.index[b.Next[i].name]; ok {
			b.Next[i].node = n
		}
	}
	switch r.Kind {
	case RecordInput:
		h.begin(p, r.Turn)
	case RecordStep:
		return p.replayStep(h, r, b)
	case RecordPending:
		h.asks(b.Asks)
		return p.replayTasks(h, b.Tasks)
	case RecordEffect:
		if b.Effect == nil {
			return "", errors.New("an effect record without an effect")
		}
		h.effect(*b.Effect)
		return "", nil
	case RecordAnswer:
		h.take(b.Answers)
		return "", nil
	case RecordSnapshot:
		if b.Head == nil {
			return "", errors.New("a snapshot without a head")
		}
		h.vals = slices.Clone(p.zero)
		h.turn, h.step = r.Turn, r.Step
		h.turns, h.recent = b.Head.Turns, b.Head.Answered
	case RecordUpdate:
		h.vals = slices.Clone(h.vals)
		if !b.routed {
			if err := p.schema.apply(h.vals, writes); err != nil {
				return "", err
			}
			return p.replayTasks(h, b.Tasks)
		}
	default:
		return "", fmt.Errorf("unknown kind %q", r.Kind)
	}
	if err := p.schema.apply(h.vals, writes); err != nil {
		return "", err
	}
	base := r.Seq
	if b.Head != nil {
		base = b.Head.Base
	}
	p.replayNext(h, r, b, base)
	return "", nil
}

func (p *Plan) replayNext(h *head, r Record, b body, base int64) {
	wait, missing := p.restoreWait(b.Wait)
	h.advance(r.Plan, b.Next, wait, base)
	h.missing = missing
}

func (p *Plan) replayTasks(h *head, tasks []taskBody) (channel string, err error) {
	for _, t := range tasks {
		if t.index < 0 || t.index >= len(h.next) {
			return "", fmt.Errorf("task %d of %d", t.index, len(h.next))
		}
		writes, channel, err := p.schema.decode(t.updates)
		if err != nil {
			return channel, err
		}
		d := h.task(t.index)
		d.done, d.writes = true, writes
	}
	return "", nil
}

func (p *Plan) replayStep(h *head, r Record, b body) (channel string, err error) {
	if channel, err := p.replayTasks(h, b.Tasks); err != nil {
		return channel, err
	}
	vals := slices.Clone(h.vals)
	for i := range h.next {
		d := h.pending[i]
		if d == nil || !d.done {
			return "", fmt.Errorf("the step ended without task %d", i)
		}
		if err := p.schema.apply(vals, d.writes); err != nil {
			return "", err
		}
	}
	h.vals, h.step = vals, r.Step
	p.replayNext(h, r, b, r.Seq)
	return "", nil
}

// snapshot writes the whole head as the body of a record.
func (p *Plan) snapshot(w *bodyWriter, h *head) (json.RawMessage, error) {
	return p.snapshotFrom(w, h, nil)
}

func (p *Plan) snapshotFrom(w *bodyWriter, h *head, from *Origin) (json.RawMessage, error) {
	w.b, w.any = w.b[:0], false
	if err := w.json('h', headBody{Base: h.base, From: from, Turns: h.turns, Answered: h.recent}); err != nil {
		return nil, err
	}
	writes := make([]Write, 0, len(h.vals))
	for i, v := range h.vals {
		if v != nil {
			writes = append(writes, Write{ch: p.schema.channels[i], op: opSet, val: v})
		}
	}
	if err := w.updates(writes); err != nil {
		return nil, err
	}
	w.next(h.next)
	if err := w.wait(p, h.wait); err != nil {
		return nil, err
	}
	return w.done(), nil
}
