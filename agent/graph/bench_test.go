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
