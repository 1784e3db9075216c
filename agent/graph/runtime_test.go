package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"maru/agent/graph"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// one compiles a graph of one node on a log of strings.
func one(t *testing.T, p graph.Policy, fn func(graph.List[string]) graph.Node) (*graph.Plan, graph.List[string]) {
	t.Helper()
	s := graph.NewSchema()
	log := graph.NewList(s, "log", graph.PerThread, graph.String(), nil)
	b := graph.New("one", s)
	b.Node("node", fn(log), p)
	b.Edge(graph.Start, "node")
	b.Edge("node", graph.End)
	plan, err := b.Compile(graph.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return plan, log
}

func TestSecondRunInTheSameProcessIsTurnedAway(t *testing.T) {
	t.Parallel()
	inside, leave := make(chan struct{}), make(chan struct{})
	plan, _ := one(t, graph.Policy{}, func(graph.List[string]) graph.Node {
		return func(context.Context, graph.State) ([]graph.Write, error) {
			close(inside)
			<-leave
			return nil, nil
		}
	})
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	call := graph.Call{Thread: "t", Turn: "1"}
	done := make(chan error)
	go func() {
		_, err := rt.Run(t.Context(), plan, call)
		done <- err
	}()
	<-inside
	if _, err := rt.Run(t.Context(), plan, call); !errors.Is(err, graph.ErrBusy) {
		t.Errorf("run: %v, want ErrBusy", err)
	}
	if err := rt.Delete(t.Context(), "t"); !errors.Is(err, graph.ErrBusy) {
		t.Errorf("delete: %v, want ErrBusy", err)
	}
	close(leave)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestWithoutALogNothingCanWait(t *testing.T) {
	t.Parallel()
	plan, _ := one(t, graph.Policy{}, func(graph.List[string]) graph.Node {
		return func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
			_, err := graph.Ask(ctx, graph.Question{})
			return nil, err
		}
	})
	rt := graph.NewRuntime(graph.Config{})
	if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"}); !errors.Is(err, graph.ErrNoCheckpointer) {
		t.Errorf("ask: %v", err)
	}
	if _, err := rt.Resume(t.Context(), plan, graph.Call{Thread: "t"}); !errors.Is(err, graph.ErrNoCheckpointer) {
		t.Errorf("resume: %v", err)
	}
	if _, err := rt.Peek(t.Context(), plan, "t"); !errors.Is(err, graph.ErrNoCheckpointer) {
		t.Errorf("peek: %v", err)
	}
}

func TestOutsideANodeThereIsNoTask(t *testing.T) {
	t.Parallel()
	if _, err := graph.Ask(t.Context(), graph.Question{}); !errors.Is(err, graph.ErrNoTask) {
		t.Errorf("ask: %v", err)
	}
	once := func(context.Context, string) (int, error) { return 1, nil }
	if _, err := graph.Once(t.Context(), "x", once); !errors.Is(err, graph.ErrNoTask) {
		t.Errorf("once: %v", err)
	}
	var late context.Context
	plan, _ := one(t, graph.Policy{}, func(graph.List[string]) graph.Node {
		return func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
			late = ctx //nolint:fatcontext // kept on purpose: used when the node is over
			_, err := graph.Once(ctx, "lossy", func(context.Context, string) (any, error) { return 1, nil })
			if err == nil || !strings.Contains(err.Error(), "does not survive JSON") {
				t.Errorf("a result of an interface type: %v", err)
			}
			return nil, nil
		}
	})
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"}); err != nil {
		t.Fatal(err)
	}
	if _, err := graph.Once(late, "x", once); !errors.Is(err, graph.ErrNoTask) {
		t.Errorf("once after the node: %v", err)
	}
}

// One name stands for one effect in a visit: of several goroutines that use it one does the effect, the others hear of
// the mistake.
func TestANameIsUsedOnceInAVisit(t *testing.T) {
	t.Parallel()
	calls := 0
	plan, _ := one(t, graph.Policy{}, func(graph.List[string]) graph.Node {
		return func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
			errs := make(chan error)
			for range 8 {
				go func() {
					_, err := graph.Once(ctx, "same", func(context.Context, string) (int, error) {
						calls++
						return calls, nil
					})
					errs <- err
				}()
			}
			refused := 0
			for range 8 {
				if errors.Is(<-errs, graph.ErrRepeated) {
					refused++
				}
			}
			if refused != 7 {
				t.Errorf("%d of 8 refused", refused)
			}
			return nil, nil
		}
	})
	for _, cp := range []graph.Checkpointer{nil, graph.NewMemory()} {
		calls = 0
		rt := graph.NewRuntime(graph.Config{Checkpointer: cp})
		if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"}); err != nil || calls != 1 {
			t.Errorf("%d calls, %v", calls, err)
		}
	}
}

// A key names one question; a question without a key is known by its place, and must be the one that people saw there.
func TestQuestionsAreToldApart(t *testing.T) {
	t.Parallel()
	payload := func(s string) json.RawMessage { return json.RawMessage(`{"ask": "` + s + `"}`) }
	for name, c := range map[string]struct {
		ask func(ctx context.Context, visit int) error
		err error // of the visit after the answers
	}{
		"one_key_for_two": {func(ctx context.Context, _ int) error {
			_, err1 := graph.Ask(ctx, graph.Question{Key: "k", Payload: payload("pay?")})
			_, err2 := graph.Ask(ctx, graph.Question{Key: "k", Payload: payload("send?")})
			return errors.Join(err1, err2)
		}, graph.ErrRepeated},
		"keyless_in_another_order": {func(ctx context.Context, visit int) error {
			asked := []string{"pay?", "send?"}
			if visit > 1 {
				slices.Reverse(asked)
			}
			_, err1 := graph.Ask(ctx, graph.Question{Payload: payload(asked[0])})
			_, err2 := graph.Ask(ctx, graph.Question{Payload: payload(asked[1])})
			return errors.Join(err1, err2)
		}, graph.ErrRepeated},
		"keyless_in_order": {func(ctx context.Context, _ int) error {
			_, err1 := graph.Ask(ctx, graph.Question{Payload: payload("pay?")})
			_, err2 := graph.Ask(ctx, graph.Question{Payload: payload("send?")})
			return errors.Join(err1, err2)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			visits := 0
			plan, _ := one(t, graph.Policy{}, func(graph.List[string]) graph.Node {
				return func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
					visits++
					return nil, c.ask(ctx, visits)
				}
			})
			rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
			call := graph.Call{Thread: "t", Turn: "1"}
			res, err := rt.Run(t.Context(), plan, call)
			for _, in := range res.Interrupts {
				call.Answers = append(call.Answers, graph.Answer{ID: in.ID, Value: json.RawMessage(`"yes"`)})
			}
			if err == nil {
				res, err = rt.Run(t.Context(), plan, call)
			}
			if !errors.Is(err, c.err) || res.Done != (c.err == nil) {
				t.Errorf("done %t, %v; want %v", res.Done, err, c.err)
			}
		})
	}
}

// Two runtimes without a lease come to the same effect: the one that is late finds the intent, or that the log has
// moved on, and does nothing.
func TestTwoRuntimesDoAnEffectOnce(t *testing.T) {
	t.Parallel()
	for name, apart := range map[string]bool{"the_second_reads_the_intent": true, "both_read_before_it": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var deeds atomic.Int64
			began, others := make(chan struct{}, 2), make(chan struct{})
			arrived := make(chan struct{}, 2)
			plan, _ := one(t, graph.Policy{}, func(graph.List[string]) graph.Node {
				return func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
					if !apart {
						arrived <- struct{}{}
						for len(arrived) < 2 { // both have loaded the same head
							time.Sleep(time.Millisecond)
						}
					}
					_, err := graph.Once(ctx, "pay", func(context.Context, string) (bool, error) {
						deeds.Add(1)
						began <- struct{}{}
						<-others
						return true, nil
					})
					return nil, err
				}
			})
			log := graph.NewMemory()
			call := graph.Call{Thread: "t", Turn: "1"}
			starts := func() error {
				rt := graph.NewRuntime(graph.Config{Checkpointer: log})
				_, err := rt.Run(t.Context(), plan, call)
				return err
			}
			if !apart { // the input is in the log for both
				if err := appendInput(t, log, plan, call); err != nil {
					t.Fatal(err)
				}
			}
			errs := make(chan error, 2)
			go func() { errs <- starts() }()
			if apart {
				<-began
			}
			go func() { errs <- starts() }()
			first := <-errs // the loser's: the winner is still at it
			close(others)
			second := <-errs
			if first == nil || second != nil || deeds.Load() != 1 {
				t.Errorf("done %d times; errors %v and %v", deeds.Load(), first, second)
			}
		})
	}
}

// appendInput begins the turn without running a node.
func appendInput(t *testing.T, log graph.Checkpointer, plan *graph.Plan, call graph.Call) error {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	rt := graph.NewRuntime(graph.Config{Checkpointer: log})
	call.Sink = func(e *graph.Event) {
		if e.Kind == graph.EventTurn {
			cancel()
		}
	}
	if _, err := rt.Run(ctx, plan, call); !errors.Is(err, context.Canceled) {
		return fmt.Errorf("the turn was to stop before its first node: %w", err)
	}
	return nil
}

// A panic outside of nodes ends the run, not the process, and the turn goes on later.
func TestPanicsOfCodecsAndSinksStayInside(t *testing.T) {
	t.Parallel()
	var armed atomic.Bool
	boom := func() {
		if armed.Load() {
			panic("boom")
		}
	}
	codec := graph.String()
	encode, decode := codec.Encode, codec.Decode
	codec.Encode = func(dst []byte, v string) ([]byte, error) { boom(); return encode(dst, v) }
	plans := func(codec graph.Codec[string]) *graph.Plan {
		s := graph.NewSchema()
		log := graph.NewList(s, "log", graph.PerThread, codec, nil)
		g := graph.New("g", s)
		g.Node("work", func(context.Context, graph.State) ([]graph.Write, error) { return []graph.Write{log.Add("x")}, nil }, graph.Policy{})
		g.Branch(graph.Start, func(context.Context, graph.State) ([]graph.Send, error) {
			return []graph.Send{graph.SendTo("work", 1), graph.SendTo("work", 2), graph.SendTo("work", 3)}, nil
		}, "work")
		g.Edge("work", graph.End)
		p, err := g.Compile(graph.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	reading := graph.Codec[string]{Name: "s", Encode: encode}
	reading.Decode = func(raw []byte) (string, error) { boom(); return decode(raw) }
	sinks := map[string]graph.Sink{"encode": nil, "decode": nil}
	for k := graph.EventTurn; k <= graph.EventDone; k++ {
		sinks[k.String()] = func(e *graph.Event) {
			if e.Kind == k {
				boom()
			}
		}
	}
	delete(sinks, graph.EventRetry.String())
	delete(sinks, graph.EventInterrupt.String())
	delete(sinks, graph.EventExpired.String())
	for name, sink := range sinks {
		log := graph.NewMemory()
		plan := plans(codec)
		rt := graph.NewRuntime(graph.Config{Checkpointer: log, Cache: -1})
		if name == "decode" {
			plan = plans(reading)
			if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "0"}); err != nil {
				t.Fatal(err)
			}
		}
		armed.Store(true)
		var p *graph.PanicError
		if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1", Sink: sink}); !errors.As(err, &p) {
			t.Errorf("%s: error %v, want a panic's", name, err)
		}
		armed.Store(false)
		if res, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"}); err != nil || !res.Done {
			t.Errorf("%s: done %t, %v, when nothing panics any more", name, res.Done, err)
		}
	}
}
