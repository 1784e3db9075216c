package graph_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"maru/agent/graph"
)

// slowPruner is a log whose Prune says that it has begun and waits.
type slowPruner struct {
	*graph.Memory
	begun, goOn chan struct{}
}

func (s slowPruner) Prune(ctx context.Context, thread, ns string, keep int) error {
	close(s.begun)
	<-s.goOn
	return s.Memory.Prune(ctx, thread, ns, keep)
}

// A person's message may come while their thread's log is shortened, which is no
// reason for its run to fail.
func TestARunWaitsForARetain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		plan, log := one(t, graph.Policy{}, func(log graph.List[string]) graph.Node {
			return func(context.Context, graph.State) ([]graph.Write, error) { return []graph.Write{log.Add("ran")}, nil }
		})
		cp := slowPruner{graph.NewMemory(), make(chan struct{}), make(chan struct{})}
		rt := graph.NewRuntime(graph.Config{Checkpointer: cp})
		if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1"}); err != nil {
			t.Fatal(err)
		}
		retained := make(chan error, 1)
		go func() { retained <- rt.Compact(t.Context(), plan, "t", 0) }()
		<-cp.begun
		ran := make(chan error, 1)
		var res graph.Result
		go func() {
			var err error
			res, err = rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "2"})
			ran <- err
		}()
		impatient, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("gone")
		cancel(gone)
		if _, err := rt.Run(impatient, plan, graph.Call{Thread: "t", Turn: "3"}); !errors.Is(err, gone) {
			t.Errorf("a run whose context has ended fails with %v", err)
		}
		synctest.Wait()
		select {
		case err := <-ran:
			t.Fatalf("the run did not wait: %v", err)
		default:
		}
		close(cp.goOn)
		if err := <-retained; err != nil {
			t.Error(err)
		}
		if err := <-ran; err != nil {
			t.Fatal(err)
		}
		if got := log.Get(res.State); len(got) != 2 {
			t.Errorf("the log has %q, want both turns", got)
		}
	})
}
