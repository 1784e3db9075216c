package graph_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"maru/agent/graph"
)

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
