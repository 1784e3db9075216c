package graph_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
)

func TestHubGivesEveryReaderEveryEvent(t *testing.T) {
	t.Parallel()
	hub, plan := graph.NewHub[graph.Event](1<<12), graphtest.Loop(100)
	var wg sync.WaitGroup
	for range 10 {
		r := hub.Reader()
		wg.Go(func() {
			steps, dones := 0, 0
			for {
				events, more, err := r.Next(t.Context(), nil)
				if err != nil {
					t.Error(err)
					return
				}
				for _, e := range events {
					switch e.Kind {
					case graph.EventStep:
						if steps++; int(e.Step) != steps {
							t.Errorf("step %d after %d", e.Step, steps-1)
						}
					case graph.EventDone:
						dones++
					}
				}
				if !more {
					break
				}
			}
			if steps != 100 || dones != 1 || r.Lost() != 0 {
				t.Errorf("%d steps, %d ends, %d lost", steps, dones, r.Lost())
			}
		})
	}
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1", Sink: hub.Send}); err != nil {
		t.Fatal(err)
	}
	hub.Close()
	hub.Close()
	hub.Send(&graph.Event{}) // nobody reads it any more
	wg.Wait()
}

// TestHubDoesNotWait: a reader that never reads while a run sends more than the
// hub keeps loses the oldest, and knows it.
func TestHubDoesNotWait(t *testing.T) {
	t.Parallel()
	hub := graph.NewHub[graph.Event](0)
	r := hub.Reader()
	rt := graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()})
	if _, err := rt.Run(t.Context(), graphtest.Loop(100), graph.Call{Thread: "t", Turn: "1", Sink: hub.Send}); err != nil {
		t.Fatal(err)
	}
	events, more, err := r.Next(t.Context(), nil)
	if err != nil || !more || len(events) != 64 || events[63].Kind != graph.EventDone || r.Lost() != 302-64 {
		t.Fatalf("%d events, %d lost, more %v, %v", len(events), r.Lost(), more, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, more, err := r.Next(ctx, nil); !errors.Is(err, context.Canceled) || !more {
		t.Errorf("a cancelled wait: %v, more %v", err, more)
	}
}
