package graph

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maru/agent/limit"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
)

// task is one visit of a node, and the context that the node gets: [Once]
// and [Ask] find it there.
type task struct {
	context.Context // a task is a context, for the time of one attempt

	run     *run
	node    *planNode
	index   int
	turn    string
	told    *Event        // of the attempt; nil without a sink
	start   time.Duration // of the attempt, after Source.Began; 0 without a sink
	step    int           // 1-based
	attempt int
	state   State

	mu    sync.Mutex
	over  bool // the attempt has returned
	asks  []Interrupt
	asked int             // questions without a key
	used  map[string]bool // names of effects and keys of questions, see claim
}

type taskKey struct{}

// Value implements context.Context.
func (t *task) Value(key any) any {
	if key == (taskKey{}) {
		return t
	}
	return t.Context.Value(key)
}

func taskOf(ctx context.Context) *task {
	t, _ := ctx.Value(taskKey{}).(*task)
	return t
}

// id returns the same for every attempt of this visit, in this process or another,
// and different for every other visit.
func (t *task) id() string {
	x := t.run
	return digest(x.thread, x.ns, t.turn, strconv.FormatInt(x.head.base, 10), t.node.name, strconv.Itoa(t.index))
}

// digest names the parts by 16 letters that fit into any platform's key.
func digest(parts ...string) string {
	var buf [256]byte
	b := buf[:0]
	for _, p := range parts {
		b = binary.AppendUvarint(b, uint64(len(p)))
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// claim takes a name for this attempt; release gives it back. The caller holds mu.
func (t *task) claim(what, name string) error {
	if t.over {
		return ErrNoTask
	}
	if t.used[what+name] {
		return fmt.Errorf("%w: %s %q in node %s", ErrRepeated, what, name, t.node.name)
	}
	if t.used == nil {
		t.used = map[string]bool{}
	}
	t.used[what+name] = true
	return nil
}

func (t *task) release(what, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.used, what+name)
}

// outcome is the result of a task.
type outcome struct {
	writes []Write
	asks   []Interrupt
	err    error
	done   bool // writes are final
	kept   bool // a pending record holds it
}

// exec runs one task with its retries, the first in the room that t gives. It has a goroutine of its own where tasks
// run side by side, so the panic of a sink ends here.
func (x *run) exec(ctx context.Context, index int, t *task) (out outcome) {
	next := x.head.next[index]
	n := x.plan.nodes[next.node]
	defer func() {
		if p := recover(); p != nil {
			out = outcome{err: x.failed(index, &PanicError{p, debug.Stack()})}
		}
	}()
	if x.gaveUp(index, n) {
		return outcome{done: true}
	}
	for attempt := 1; ; attempt++ {
		if attempt > 1 {
			t = &task{} // goroutines of the last attempt still have the old one
		}
		t.Context, t.run, t.node, t.index, t.attempt = ctx, x, n, index, attempt
		t.turn, t.step, t.state = x.head.turn, x.head.step+1, State{x.plan.schema, x.head.vals, next.arg, x.local}
		out = t.try(ctx)
		if out.err == nil || attempt >= n.policy.Retry.Attempts || ctx.Err() != nil || !n.policy.Retry.again(out.err) {
			return out
		}
		if x.sink != nil {
			t.fails(out.err)
		}
		if err := pause(ctx, n.policy.Retry.wait(attempt)); err != nil {
			return out
		}
	}
}

func (r Retry) again(err error) bool {
	if r.If != nil {
		return r.If(err)
	}
	var p *PanicError
	return !errors.As(err, &p)
}

func (r Retry) wait(attempt int) time.Duration {
	limit := cmp.Or(max(r.MaxWait, 0), 30*time.Second)
	d := r.Wait
	for range attempt - 1 {
		if d *= 2; d >= limit {
			break
		}
	}
	return min(d, limit)
}

func pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// try makes one attempt.
func (t *task) try(ctx context.Context) outcome {
	x := t.run
	if x.sink != nil {
		t.began()
	}
	var before []byte
	if x.rt.detect {
		before = t.state.fingerprint()
	}
	writes, err := t.call()
	t.mu.Lock()
	t.over = true
	asks := t.asks
	t.mu.Unlock()
	if err == nil && x.rt.detect && string(before) != string(t.state.fingerprint()) {
		err = errors.New("the node changed the state that it was given to read")
	}
	out := t.judge(ctx, writes, asks, err)
	if x.sink != nil {
		t.ended(out)
	}
	return out
}

// judge turns a node's return values into an outcome. An open question makes the task wait, whatever else the node
// returned.
func (t *task) judge(ctx context.Context, writes []Write, asks []Interrupt, err error) outcome {
	waits := len(asks) > 0 && (err == nil || errors.Is(err, ErrInterrupted))
	switch {
	case waits:
		return outcome{asks: asks}
	case err == nil:
		if err = t.run.plan.checkWrites(t.node, writes); err == nil {
			return outcome{writes: writes, done: true}
		}
	case ctx.Err() != nil:
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	failed := &NodeError{Node: t.node.name, Step: t.step, Attempt: t.attempt, Err: err, Arg: t.state.arg}
	var inner *NodeError
	if errors.As(err, &inner) && t.node.child != nil {
		failed.Node, failed.Err = t.node.name+"/"+inner.Node, inner.Err
		if failed.Arg == nil {
			failed.Arg = inner.Arg
		}
	}
	return outcome{err: failed}
}

// checkWrites validates a node's writes against its declaration.
func (p *Plan) checkWrites(n *planNode, writes []Write) error {
	for _, w := range writes {
		if w.ch == nil || w.ch.schema != p.schema {
			return fmt.Errorf("a write to channel %q of another schema", w.Channel())
		}
		if w.err != nil {
			return fmt.Errorf("channel %q: %w", w.ch.name, w.err)
		}
		if n.writes != nil && !n.writes[w.ch.index] {
			return fmt.Errorf("channel %q is not among those that the node says it writes", w.ch.name)
		}
	}
	return nil
}

// call runs the node's function and turns a panic into an error.
func (t *task) call() (writes []Write, err error) {
	defer caught(&err)
	var ctx context.Context = t
	if d := t.node.policy.Timeout; d > 0 {
		c, cancel := limit.With(t, d)
		defer cancel()
		ctx = c
	}
	if err := t.before(ctx); err != nil {
		return nil, err
	}
	return t.node.run(ctx, t.state)
}

// fingerprint encodes the whole state, to see whether a node changed it.
func (s State) fingerprint() []byte {
	var b []byte
	for i, v := range s.vals {
		enc, err := s.schema.channels[i].append(b, opSet, v)
		if err != nil {
			enc = fmt.Append(b, err)
		}
		b = enc
	}
	return b
}
