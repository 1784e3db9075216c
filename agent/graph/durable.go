package graph

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// The states of a recorded effect.
const (
	effectDone   = ""
	effectIntent = "intent"
	effectNone   = "none"
)

// Effect is something that is done outside and must not be done twice within
// one visit of a node: a post, a payment. Its result is recorded under its
// Name; when the node runs again the recorded result is returned.
//
// Between the deed and its record the process may die, and another runtime may
// run the same thread. Unless it may be repeated, the intent is recorded first,
// so that of two runtimes one alone does it and a later attempt knows of the
// gap: Reconcile asks the outside whether it took place. Do gets a key that is
// the same on every attempt, for services that know idempotency keys.
type Effect[T any] struct {
	Name      string // used once in the node's visit, else ErrRepeated
	Do        func(ctx context.Context, key string) (T, error)
	Repeat    bool // it may be done again, with the same key, when its outcome is unknown; else that is ErrAmbiguous
	Reconcile func(ctx context.Context, key string) (result T, found bool, err error)
}

// Once runs fn at most once within this visit of the node, across retries, restarts and runtimes, and returns its
// recorded result; see [Effect]. After an error of fn that does not wrap [ErrNotApplied], or a crash, the next attempt
// gets [ErrAmbiguous]. T must survive JSON.
func Once[T any](ctx context.Context, name string, fn func(ctx context.Context, key string) (T, error)) (T, error) {
	return Effect[T]{Name: name, Do: fn}.Run(ctx)
}

// Repeatable is Once for work that may be done again: a model call, a search, the time. It records the result alone;
// after an error or a crash the next attempt calls fn again with the same key.
func Repeatable[T any](ctx context.Context, name string, fn func(ctx context.Context, key string) (T, error)) (T, error) {
	return Effect[T]{Name: name, Do: fn, Repeat: true}.Run(ctx)
}

// Run does the effect, or returns its recorded result.
func (e Effect[T]) Run(ctx context.Context) (v T, err error) {
	var zero T
	t := taskOf(ctx)
	if t == nil {
		return zero, ErrNoTask
	}
	if err := t.run.rt.keepable(reflect.TypeFor[T]()); err != nil {
		return zero, fmt.Errorf("graph: effect %q: %w", e.Name, err)
	}
	t.mu.Lock()
	err = t.claim("effect", e.Name)
	t.mu.Unlock()
	if err != nil {
		return zero, err
	}
	defer func() {
		if err != nil {
			t.release("effect", e.Name)
		}
	}()
	if v, found, err := e.recorded(ctx, t); found || err != nil {
		return v, err
	}
	// The key of the effect names the records before it: they must not be lost.
	if err := t.run.flush(ctx); err != nil {
		return zero, err
	}
	v, err = e.Do(ctx, t.key(e.Name))
	if err != nil {
		if e.announced() && errors.Is(err, ErrNotApplied) {
			err = errors.Join(err, t.run.journal(ctx, effectBody{Task: t.index, Name: e.Name, State: effectNone}))
		}
		return zero, err
	}
	return v, e.record(ctx, t, v)
}

func (e Effect[T]) announced() bool { return !e.Repeat || e.Reconcile != nil }

// recorded looks up the effect and resolves one left open by an earlier attempt.
func (e Effect[T]) recorded(ctx context.Context, t *task) (v T, found bool, err error) {
	b, ok := t.run.effect(t.index, e.Name)
	switch {
	case ok && b.State == effectDone:
		if v, err = strictJSON[T](b.Result); err != nil {
			err = fmt.Errorf("graph: recorded result of effect %q: %w", e.Name, err)
		}
		return v, true, err
	case ok && e.Reconcile != nil:
		v, found, err = e.Reconcile(ctx, t.key(e.Name))
		if err != nil || !found {
			return v, false, err
		}
		return v, true, e.record(ctx, t, v)
	case ok && !e.Repeat:
		return v, false, fmt.Errorf("%w: %q in node %s", ErrAmbiguous, e.Name, t.node.name)
	case e.announced():
		err = t.run.journal(ctx, effectBody{Task: t.index, Name: e.Name, State: effectIntent})
	}
	return v, false, err
}

func (e Effect[T]) record(ctx context.Context, t *task, v T) error {
	raw, err := appendJSON(nil, v)
	if err != nil {
		return fmt.Errorf("graph: result of effect %q: %w", e.Name, err)
	}
	return t.run.journal(ctx, effectBody{Task: t.index, Name: e.Name, Result: json.RawMessage(raw)})
}

// key is the idempotency key of an effect of this name.
func (t *task) key(name string) string { return digest(t.id(), "effect", name) }

// effect returns an effect's record.
func (x *run) effect(index int, name string) (effectBody, bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.head.pending[index]
	if p == nil {
		return effectBody{}, false
	}
	e, ok := p.effects[name]
	return e, ok
}

// journal records an effect at once, even after a cancellation, because the effect has happened.
func (x *run) journal(ctx context.Context, e effectBody) error {
	if x.rt.log != nil {
		var w bodyWriter
		if err := w.json('e', e); err != nil {
			return err
		}
		if err := x.append(ctx, Sync, x.record(RecordEffect, w.done())); err != nil {
			return err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.head.effect(e)
	return nil
}
