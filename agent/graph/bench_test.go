package graph_test

import (
	"testing"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
)

func BenchmarkNone(b *testing.B) {
	graphtest.BenchCheckpointer(b, func(testing.TB) graph.Checkpointer { return nil })
}

func BenchmarkMemory(b *testing.B) {
	graphtest.BenchCheckpointer(b, func(testing.TB) graph.Checkpointer { return graph.NewMemory() })
}

// BenchmarkEvents is the loop without and with ten readers that do not read,
// with and without a log: goal T9 is that it grows by at most 20 %.
func BenchmarkEvents(b *testing.B) {
	hub, plan := graph.NewHub[graph.Event](1024), graphtest.Loop(100)
	for range 10 {
		defer hub.Reader().Lost()
	}
	for _, c := range []struct {
		name string
		log  graph.Checkpointer
		sink graph.Sink
	}{
		{"none/silent", nil, nil},
		{"none/readers", nil, hub.Send},
		{"memory/silent", graph.NewMemory(), nil},
		{"memory/readers", graph.NewMemory(), hub.Send},
	} {
		b.Run(c.name, func(b *testing.B) {
			rt := graph.NewRuntime(graph.Config{Checkpointer: c.log})
			b.ReportAllocs()
			for b.Loop() {
				if _, err := rt.Run(b.Context(), plan, graph.Call{Thread: "t", Turn: "1", Sink: c.sink}); err != nil {
					b.Fatal(err)
				}
				if err := rt.Delete(b.Context(), "t"); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/step")
		})
	}
}
