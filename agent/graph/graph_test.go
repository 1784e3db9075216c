package graph_test

import (
	"testing"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	graphtest.RunCheckpointer(t, func(testing.TB) graph.Checkpointer { return graph.NewMemory() })
}

func TestMemoryHot(t *testing.T) {
	t.Parallel()
	graphtest.RunHot(t, func(testing.TB) graph.Hot { return graph.NewMemoryHot() })
}

func TestEngine(t *testing.T) {
	t.Parallel()
	graphtest.RunEngine(t, func(testing.TB) graph.Checkpointer { return graph.NewMemory() })
}
