package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
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

// One effect that several goroutines of a node want happens once.
func TestOnceIsSharedByTheGoroutinesOfANode(t *testing.T) {
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
			var all error
			for range 8 {
				all = errors.Join(all, <-errs)
			}
			return nil, all
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
