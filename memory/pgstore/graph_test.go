package pgstore_test

import (
	"testing"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
)

func TestCheckpointer(t *testing.T) {
	t.Parallel()
	graphtest.RunCheckpointer(t, func(tb testing.TB) graph.Checkpointer { return open(tb, config(tb)) })
}

func TestEngine(t *testing.T) {
	t.Parallel()
	graphtest.RunEngine(t, func(tb testing.TB) graph.Checkpointer { return open(tb, config(tb)) })
}

func BenchmarkCheckpointer(b *testing.B) {
	graphtest.BenchCheckpointer(b, func(tb testing.TB) graph.Checkpointer { return open(tb, config(tb)) })
}
