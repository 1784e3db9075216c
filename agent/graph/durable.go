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
// Between the effect and its record the process may die, and another runtime may
// run the same thread. Unless it may be repeated, the intent is recorded first,
// so that of two runtimes one alone does it and a later attempt knows of the
// gap: Reconcile asks the outside whether it took place. Do gets a key that is
// the same on every attempt, for services that know idempotency keys.
type Effect[T any] struct {
	Name      string // used once in the node's visit, else ErrRepeated
	Do        func(ctx context.Context, key string) (T, error)
	Repeat    bool // it may be done again, with the same key, when its outcome is unknown; else, and where it was begun without Repeat, that is ErrAmbiguous
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
func (e Effect[T]) Run(ctx context.Context) (T, error) {
	do := effect{
		name: e.Name, repeat: e.Repeat, result: reflect.TypeFor[T](),
		do:     func(ctx context.Context, key string) (any, error) { return e.Do(ctx, key) },
		decode: func(raw []byte) (any, error) { return strictJSON[T](raw) },
	}
	if e.Reconcile != nil {
		do.reconcile = func(ctx context.Context, key string) (any, bool, error) { return e.Reconcile(ctx, key) }
	}
	v, err := do.run(ctx)
	result, _ := v.(T) // nil is T's zero value
	return result, err
}

// effect is an Effect without its Go type, so that the program has its code once.
type effect struct {
	name      string
	repeat    bool
	result    reflect.Type
	do        func(ctx context.Context, key string) (any, error)
	reconcile func(ctx context.Context, key string) (any, bool, error) // nil without
	decode    func(raw []byte) (any, error)
}

func (e effect) run(ctx context.Context) (v any, err error) {
	t := taskOf(ctx)
	if t == nil {
		return nil, ErrNoTask
	}
	if err := t.run.rt.keepable(e.result); err != nil {
		return nil, fmt.Errorf("graph: effect %q: %w", e.name, err)
	}
	t.mu.Lock()
	err = t.claim("effect", e.name)
	t.mu.Unlock()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t.release("effect", e.name)
		}
	}()
	if v, found, err := e.recorded(ctx, t); found || err != nil {
		return v, err
	}
	// The key of the effect names the records before it: they must not be lost.
	if err := t.run.flush(ctx); err != nil {
		return nil, err
	}
	v, err = e.do(ctx, t.key(e.name))
	if err != nil {
		if e.announced() && errors.Is(err, ErrNotApplied) {
			err = errors.Join(err, t.run.journal(ctx, effectBody{Task: t.index, Name: e.name, State: effectNone}))
		}
		return nil, err
	}
	return v, e.record(ctx, t, v)
}

func (e effect) announced() bool { return !e.repeat || e.reconcile != nil }

// recorded looks up the effect and resolves one left open by an earlier attempt.
func (e effect) recorded(ctx context.Context, t *task) (v any, found bool, err error) {
	b, ok := t.run.effect(t.index, e.name)
	switch {
	case ok && b.State == effectDone:
		if v, err = e.decode(b.Result); err != nil {
			err = fmt.Errorf("graph: recorded result of effect %q: %w", e.name, err)
		}
		return v, true, err
	case ok && e.reconcile != nil:
		v, found, err = e.reconcile(ctx, t.key(e.name))
		if err != nil || !found {
			return v, false, err
		}
		return v, true, e.record(ctx, t, v)
	case ok: // an intent, of an attempt that could not repeat it; that it may be repeated now changes nothing
		return v, false, fmt.Errorf("%w: %q in node %s", ErrAmbiguous, e.name, t.node.name)
	case e.announced():
		err = t.run.journal(ctx, effectBody{Task: t.index, Name: e.name, State: effectIntent})
	}
	return v, false, err
}

func (e effect) record(ctx context.Context, t *task, v any) error {
	raw, err := appendJSON(nil, v)
	if err != nil {
		return fmt.Errorf("graph: result of effect %q: %w", e.name, err)
	}
	return t.run.journal(ctx, effectBody{Task: t.index, Name: e.name, Result: json.RawMessage(raw)})
}

// key returns the idempotency key of an effect of this name.
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
