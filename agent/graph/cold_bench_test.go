package graph_test

import (
	"strconv"
	"testing"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
)

// BenchmarkCold rebuilds the state of a thread from its log.
func BenchmarkCold(b *testing.B) {
	for _, n := range []int{0, 200, 800} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			memory, chat := graph.NewMemory(), graphtest.NewChat()
			rt := graph.NewRuntime(graph.Config{Checkpointer: memory})
			if err := chat.Fill(b.Context(), rt, "t", n); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := graph.NewRuntime(graph.Config{Checkpointer: memory}).Peek(b.Context(), chat.Plan, "t"); err != nil {
					b.Fatal(err)
				}
			}
			if n > 0 {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/message")
			}
		})
	}
}
