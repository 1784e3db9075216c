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
	"testing/synctest"
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

func TestRetryWaitsLongerEachTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		plan, _ := one(t, graph.Policy{Retry: graph.Retry{Attempts: 5, Wait: time.Second, MaxWait: 3 * time.Second}},
			func(graph.List[string]) graph.Node {
				return func(context.Context, graph.State) ([]graph.Write, error) {
					at = append(at, time.Since(start))
					return nil, errors.New("no")
				}
			})
		_, err := graph.NewRuntime(graph.Config{}).Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"})
		var ne *graph.NodeError
		if !errors.As(err, &ne) || ne.Attempt != 5 {
			t.Fatalf("error %v, want the fifth attempt's", err)
		}
		for i, want := range []time.Duration{0, 1, 3, 6, 9} {
			if at[i] != want*time.Second {
				t.Errorf("attempt %d after %v, want %v", i+1, at[i], want*time.Second)
			}
		}
	})
}

func TestRetryStopsWithTheContextAndWhenItIsUseless(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		runs := 0
		node := func(graph.List[string]) graph.Node {
			return func(context.Context, graph.State) ([]graph.Write, error) {
				runs++
				return nil, errors.New("no")
			}
		}
		plan, _ := one(t, graph.Policy{Retry: graph.Retry{Attempts: 9, Wait: time.Hour, MaxWait: time.Hour}}, node)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		rt := graph.NewRuntime(graph.Config{})
		if _, err := rt.Run(ctx, plan, graph.Call{Thread: "t", Turn: "1"}); err == nil || runs != 1 {
			t.Errorf("cancelled retry: %d runs, %v", runs, err)
		}
		runs = 0
		never := graph.Retry{Attempts: 9, If: func(error) bool { return false }}
		plan, _ = one(t, graph.Policy{Retry: never}, node)
		if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"}); err == nil || runs != 1 {
			t.Errorf("useless retry: %d runs, %v", runs, err)
		}
	})
}

func TestTimeoutOfANodeIsItsErrorNotTheRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plan, log := one(t, graph.Policy{Timeout: time.Second, Retry: graph.Retry{Attempts: 2}},
			func(log graph.List[string]) graph.Node {
				first := true
				return func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
					if first {
						first = false
						<-ctx.Done()
						return nil, ctx.Err()
					}
					return []graph.Write{log.Add("second attempt")}, nil
				}
			})
		res, err := graph.NewRuntime(graph.Config{}).Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"})
		if err != nil || len(log.Get(res.State)) != 1 {
			t.Fatalf("log %v, %v", log.Get(res.State), err)
		}
	})
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

// A shared copy that is flushed between two turns is built again from the log.
func TestFlushedCopyIsBuiltAgain(t *testing.T) {
	t.Parallel()
	plan, log := one(t, graph.Policy{}, func(log graph.List[string]) graph.Node {
		return func(context.Context, graph.State) ([]graph.Write, error) {
			return []graph.Write{log.Add("x")}, nil
		}
	})
	hot := graph.NewMemoryHot()
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), Hot: hot})
	for i, turn := range []string{"1", "2", "3"} {
		res, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: turn})
		if err != nil || len(log.Get(res.State)) != i+1 {
			t.Fatalf("turn %s: %v, %v", turn, log.Get(res.State), err)
		}
		state, seq, ok, err := hot.Get(t.Context(), "t")
		if err != nil || !ok || seq != res.Seq || !strings.Contains(string(state["log"]), `"x"`) {
			t.Fatalf("turn %s: copy %s at %d (%v), want seq %d", turn, state, seq, err, res.Seq)
		}
		if turn == "2" {
			continue
		}
		if err := hot.Drop(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
	}
}

// downHot is a copy whose server is away.
type downHot struct{}

var errDown = errors.New("connection refused")

func (downHot) Get(context.Context, string) (map[string]json.RawMessage, int64, bool, error) {
	return nil, 0, false, errDown
}

func (downHot) Put(context.Context, string, int64, int64, map[string]json.RawMessage, bool) error {
	return errDown
}

func (downHot) Drop(context.Context, string) error { return errDown }

func TestRunsGoOnWithoutTheCopy(t *testing.T) {
	t.Parallel()
	plan, log := one(t, graph.Policy{}, func(log graph.List[string]) graph.Node {
		return func(context.Context, graph.State) ([]graph.Write, error) {
			return []graph.Write{log.Add("x")}, nil
		}
	})
	memory := graph.NewMemory()
	for i, turn := range []string{"1", "2"} {
		rt := graph.NewRuntime(graph.Config{Checkpointer: memory, Hot: downHot{}})
		res, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: turn})
		if err != nil || len(log.Get(res.State)) != i+1 {
			t.Fatalf("turn %s: %v, %v", turn, log.Get(res.State), err)
		}
	}
}

// slowHead lets somebody else run between asking where a log ends and the answer.
type slowHead struct {
	*graph.Memory

	meanwhile func()
}

func (l *slowHead) Head(ctx context.Context, thread, ns string) (int64, error) {
	seq, err := l.Memory.Head(ctx, thread, ns)
	if f := l.meanwhile; f != nil {
		l.meanwhile = nil
		f()
	}
	return seq, err
}

// TestPeekBesideARun looks at a thread in the moment in which a run takes it up: the
// race detector tells if they share what the run changes.
func TestPeekBesideARun(t *testing.T) {
	t.Parallel()
	began, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	plan, log := one(t, graph.Policy{}, func(log graph.List[string]) graph.Node {
		return func(ctx context.Context, s graph.State) ([]graph.Write, error) {
			if len(log.Get(s)) > 0 { // the second turn
				close(began)
				<-goOn
			}
			word, err := graph.Once(ctx, "word", func(context.Context, string) (string, error) { return "x", nil })
			return []graph.Write{log.Add(word)}, err
		}
	})
	store := &slowHead{Memory: graph.NewMemory()}
	rt := graph.NewRuntime(graph.Config{Checkpointer: store})
	if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1", Fence: 1}); err != nil {
		t.Fatal(err)
	}
	store.meanwhile = func() {
		go func() {
			_, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "2", Fence: 1})
			done <- err
		}()
		<-began
		close(goOn)
	}
	res, err := rt.Peek(t.Context(), plan, "t")
	if err != nil || res.Turn != "1" || !res.Done || len(log.Get(res.State)) != 1 {
		t.Errorf("the thread as it was: %+v, %v", res, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestAQuestionTellsItsStep: the event of a question has the number of its
// super-step, as those of its node have.
func TestAQuestionTellsItsStep(t *testing.T) {
	t.Parallel()
	plan, _ := one(t, graph.Policy{}, func(graph.List[string]) graph.Node {
		return func(ctx context.Context, _ graph.State) ([]graph.Write, error) {
			_, err := graph.Ask(ctx, graph.Question{Kind: "plan"})
			return nil, err
		}
	})
	steps := map[graph.EventKind]int32{}
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	res, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1", Sink: func(e *graph.Event) { steps[e.Kind] = e.Step }})
	if err != nil || len(res.Interrupts) != 1 {
		t.Fatalf("%+v, %v", res, err)
	}
	if want := int32(res.Interrupts[0].Step); steps[graph.EventInterrupt] != want || steps[graph.EventNodeEnd] != want {
		t.Errorf("the question in step %d, its node in step %d; want %d", steps[graph.EventInterrupt], steps[graph.EventNodeEnd], want)
	}
}
