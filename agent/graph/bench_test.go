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

// BenchmarkEvents is the loop with a reader that never reads.
func BenchmarkEvents(b *testing.B) {
	rt, plan, stream := graph.NewRuntime(graph.Config{}), graphtest.Loop(100), graph.NewStream(16)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rt.Run(b.Context(), plan, graph.Call{Thread: "t", Turn: "1", Sink: stream.Send}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/step")
}
