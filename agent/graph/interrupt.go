package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"time"
)

// Question is a node's question to a person.
type Question struct {
	Key     string          // names it within the task; "" takes its number of call, which must stay the same
	Kind    string          // "clarification", "plan", …: for who shows it
	Payload json.RawMessage // shown to people: exactly the action that will run
	Schema  json.RawMessage // JSON Schema of the answer, for [Config].Check
	Expires time.Time       // zero: never; then no answer counts but Expired, see Runtime.Expire
	Within  time.Duration   // above 0: Expires is that long after the engine first hears the question
}

// Interrupt is a question that waits. Its ID belongs to one visit of a node: a
// loop that comes to the same question again asks under a new ID.
type Interrupt struct {
	ID      string          `json:"id"`
	Node    string          `json:"node"`
	Key     string          `json:"key"`
	Kind    string          `json:"kind,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Expires time.Time       `json:"expires,omitzero"`
	Step    int             `json:"step"`
	Task    int             `json:"task"` // index of the task in its super-step
}

// Answer is a person's answer to an interrupt.
type Answer struct {
	ID      string          `json:"id"`
	By      string          `json:"by,omitempty"` // the person who decided
	At      time.Time       `json:"at,omitzero"`
	Value   json.RawMessage `json:"value,omitempty"`
	Expired bool            `json:"expired,omitempty"` // the deadline passed without an answer
}

// Outcome is the result of an answer given to Run.
type Outcome struct {
	Answer    Answer // the one that counts: of a duplicate the first
	Duplicate bool   // the question had been answered before
}

// Ask asks a person and returns the answer. Until there is one it returns
// [ErrInterrupted], which the node hands upward; when all its questions are
// answered the node runs again from its top and Ask returns the answers.
// Effects before an Ask belong into [Once].
func Ask(ctx context.Context, q Question) (Answer, error) {
	t := taskOf(ctx)
	if t == nil {
		return Answer{}, ErrNoTask
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run.rt.log == nil {
		return Answer{}, fmt.Errorf("ask in node %s: %w", t.node.name, ErrNoCheckpointer)
	}
	key := q.Key
	if key == "" {
		key = "#" + strconv.Itoa(t.asked)
		t.asked++
	}
	return t.ask(key, q)
}

func (t *task) ask(key string, q Question) (Answer, error) {
	if (len(q.Payload) > 0 && !json.Valid(q.Payload)) || (len(q.Schema) > 0 && !json.Valid(q.Schema)) {
		return Answer{}, errors.New("graph: payload and schema of a question must be JSON")
	}
	if err := t.claim("question", key); err != nil {
		return Answer{}, err
	}
	id := digest(t.id(), "ask", key)
	if asked, ok := t.run.asked(t.index, id); ok && q.Key == "" && key != beforeKey && !asked.shows(q) {
		return Answer{}, fmt.Errorf("%w: question %s of node %s, give it a key", ErrRepeated, key, t.node.name)
	}
	if a, ok := t.run.answer(t.index, id); ok {
		return a, nil
	}
	if q.Within > 0 {
		q.Expires = t.run.rt.now().Add(q.Within).UTC().Round(0)
	}
	t.asks = append(t.asks, Interrupt{
		ID: id, Node: t.node.name, Key: key, Kind: q.Kind, Payload: q.Payload, Schema: q.Schema,
		Expires: q.Expires, Step: t.run.head.step + 1, Task: t.index,
	})
	return Answer{}, ErrInterrupted
}

// asked returns the recorded question of a task.
func (x *run) asked(index int, id string) (Interrupt, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if p := x.head.pending[index]; p != nil {
		for _, in := range p.asks {
			if in.ID == id {
				return in, true
			}
		}
	}
	return Interrupt{}, false
}

// shows reports whether people saw this question.
func (in Interrupt) shows(q Question) bool {
	same := func(a, b json.RawMessage) bool {
		var x, y any
		return len(a) == len(b) && len(a) == 0 || json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
	}
	return in.Kind == q.Kind && same(in.Payload, q.Payload) && same(in.Schema, q.Schema)
}

// beforeKey is the key of the question that a [Policy].Before asks.
const beforeKey = "before"

// Answered returns the answer to the question that the node's [Policy].Before
// asked; ok is false if it asked none.
func Answered(ctx context.Context) (a Answer, ok bool) {
	t := taskOf(ctx)
	if t == nil {
		return Answer{}, false
	}
	return t.run.answer(t.index, digest(t.id(), "ask", beforeKey))
}

// before asks the node's own question. It returns ErrInterrupted while the
// answer is missing.
func (t *task) before(ctx context.Context) error {
	if t.node.policy.Before == nil {
		return nil
	}
	q, err := t.node.policy.Before(ctx, t.state)
	if err != nil || q == nil {
		return err
	}
	if t.run.rt.log == nil {
		return fmt.Errorf("ask before node %s: %w", t.node.name, ErrNoCheckpointer)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	_, err = t.ask(beforeKey, *q)
	return err
}

// answer returns the recorded answer of a task to one of its questions.
func (x *run) answer(index int, id string) (Answer, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.head.pending[index]
	if p == nil {
		return Answer{}, false
	}
	a, ok := p.answers[id]
	return a, ok
}

// take checks answers and records those that are new. If one of them is bad,
// none is recorded.
func (x *run) take(ctx context.Context, answers []Answer) ([]Outcome, error) {
	var (
		outcomes []Outcome
		fresh    []Answer
	)
	for _, a := range answers {
		if old, ok := x.head.answered(a.ID); ok {
			outcomes = append(outcomes, Outcome{old, true})
			continue
		}
		if i := indexAnswer(fresh, a.ID); i >= 0 {
			outcomes = append(outcomes, Outcome{fresh[i], true})
			continue
		}
		a, err := x.admit(a)
		if x.ns != "" && errors.Is(err, ErrStaleInterrupt) {
			continue // the graph around gives every answer again at each visit
		}
		if err != nil {
			return nil, err
		}
		fresh = append(fresh, a)
		outcomes = append(outcomes, Outcome{a, false})
	}
	if len(fresh) == 0 {
		return outcomes, nil
	}
	body, err := encodeAnswers(fresh)
	if err != nil {
		return nil, err
	}
	if err := x.append(ctx, Sync, x.record(RecordAnswer, body)); err != nil {
		return nil, err
	}
	x.head.take(fresh)
	return outcomes, nil
}

func indexAnswer(list []Answer, id string) int {
	for i, a := range list {
		if a.ID == id {
			return i
		}
	}
	return -1
}

// admit checks one answer against the question that waits for it.
func (x *run) admit(a Answer) (Answer, error) {
	if x.head.done {
		return a, fmt.Errorf("%w: %s", ErrStaleInterrupt, a.ID)
	}
	in, ok := x.head.waiting(a.ID)
	if !ok {
		return a, fmt.Errorf("%w: %s", ErrStaleInterrupt, a.ID)
	}
	if len(a.Value) > 0 && !json.Valid(a.Value) {
		return a, &AnswerError{a.ID, errors.New("not JSON")}
	}
	if a.At.IsZero() {
		a.At = x.rt.now()
	}
	a.At = a.At.UTC().Round(0)
	if !a.Expired && !in.Expires.IsZero() && a.At.After(in.Expires) {
		return a, &AnswerError{a.ID, fmt.Errorf("%w since %s", ErrExpired, in.Expires.UTC().Format(time.RFC3339))}
	}
	if check := x.rt.check; check != nil && !a.Expired {
		if err := check(in, a); err != nil {
			return a, &AnswerError{a.ID, err}
		}
	}
	return a, nil
}
