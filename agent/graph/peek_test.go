package graph_test

import (
	"context"
	"testing"

	"maru/agent/graph"
)

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
