package graph_test

import (
	"runtime"
	"testing"

	"maru/agent/graph"
	"maru/agent/graph/graphtest"
)

// Gates of the exact figures. Times are measured by the benchmarks.

func allocs(t *testing.T, rt *graph.Runtime, p *graph.Plan) float64 {
	t.Helper()
	return testing.AllocsPerRun(50, func() {
		if err := rt.Delete(t.Context(), "t"); err != nil {
			t.Fatal(err)
		}
		if _, err := rt.Run(t.Context(), p, graph.Call{Thread: "t", Turn: "1"}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestAllocationsOfASuperStep(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	for name, c := range map[string]struct {
		rt   *graph.Runtime
		most float64
	}{
		"without a log":    {graph.NewRuntime(graph.Config{}), 4},
		"in-memory log":    {graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()}), 9},
		"memory, no cache": {graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory(), Cache: -1}), 9},
	} {
		got := (allocs(t, c.rt, graphtest.Loop(300)) - allocs(t, c.rt, graphtest.Loop(100))) / 200
		if got > c.most {
			t.Errorf("%s: %.2f allocations a super-step, at most %.0f", name, got, c.most)
		}
	}
}

func TestBytesOfATurnDoNotGrow(t *testing.T) {
	t.Parallel()
	var first int64
	for _, n := range []int{0, 200, 800} {
		count := &graphtest.Counter{Checkpointer: graph.NewMemory()}
		rt := graph.NewRuntime(graph.Config{Checkpointer: count})
		chat := graphtest.NewChat()
		if err := chat.Fill(t.Context(), rt, "slack/T0123ABCD/C0123ABCD/1712345678.123456", n); err != nil {
			t.Fatal(err)
		}
		before, snapshots, appends := count.Records.Load(), count.Snapshots.Load(), count.Appends.Load()
		if err := chat.Turn(t.Context(), rt, "slack/T0123ABCD/C0123ABCD/1712345678.123456", 1); err != nil {
			t.Fatal(err)
		}
		wrote := count.Records.Load() - before
		if first == 0 {
			first = wrote
		}
		if wrote > 800 || wrote != first || count.Snapshots.Load() != snapshots {
			t.Errorf("%d messages: a turn wrote %d B and %d B of snapshots, want at most 800 and the same for every history",
				n, wrote, count.Snapshots.Load()-snapshots)
		}
		if got := count.Appends.Load() - appends; got != 3 {
			t.Errorf("%d messages: %d appends a turn, want 3", n, got)
		}
	}
}

// TestLogOfAThousandTurns is goal Z2: with snapshots at most three times the
// updates, and after compacting little more than one snapshot.
func TestLogOfAThousandTurns(t *testing.T) {
	t.Parallel()
	memory := graph.NewMemory()
	count := &graphtest.Counter{Checkpointer: memory}
	rt := graph.NewRuntime(graph.Config{Checkpointer: count})
	chat := graphtest.NewChat()
	for i := range 1000 {
		if err := chat.Turn(t.Context(), rt, "t", i); err != nil {
			t.Fatal(err)
		}
	}
	updates, snapshots := count.Records.Load(), count.Snapshots.Load()
	if updates+snapshots > 3*updates {
		t.Errorf("updates %d B, snapshots %d B", updates, snapshots)
	}
	if err := rt.Compact(t.Context(), chat.Plan, "t", 0); err != nil {
		t.Fatal(err)
	}
	records, err := memory.History(t.Context(), "t", "", 1, 1<<40, 0)
	if err != nil || len(records) != 1 {
		t.Fatalf("%d records after compacting (%v), want one snapshot", len(records), err)
	}
}

// TestBytesOfARun is goal Z4, and what a fan-out may allocate.
func TestBytesOfARun(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	memory := func() *graph.Runtime { return graph.NewRuntime(graph.Config{Checkpointer: graph.NewMemory()}) }
	for name, c := range map[string]struct {
		rt     *graph.Runtime
		plan   *graph.Plan
		bytes  uint64
		allocs float64
	}{
		"3 nodes":                      {graph.NewRuntime(graph.Config{}), graphtest.Line(3), 2500, 26},
		"3 nodes, in-memory log":       {memory(), graphtest.Line(3), 6000, 55},
		"fan-out of 10":                {graph.NewRuntime(graph.Config{}), graphtest.Fan(10), 8500, 60},
		"fan-out of 10, in-memory log": {memory(), graphtest.Fan(10), 14000, 110},
	} {
		run := func() {
			if _, err := c.rt.Run(t.Context(), c.plan, graph.Call{Thread: "t", Turn: "1"}); err != nil {
				t.Fatal(err)
			}
			if err := c.rt.Delete(t.Context(), "t"); err != nil {
				t.Fatal(err)
			}
		}
		const runs = 100
		var before, after runtime.MemStats
		allocs := testing.AllocsPerRun(runs, run) // warms up, too
		runtime.ReadMemStats(&before)
		for range runs {
			run()
		}
		runtime.ReadMemStats(&after)
		if bytes := (after.TotalAlloc - before.TotalAlloc) / runs; bytes > c.bytes || allocs > c.allocs {
			t.Errorf("%s: %d B and %.0f allocations a run, at most %d and %.0f", name, bytes, allocs, c.bytes, c.allocs)
		}
	}
}

// TestEventsDoNotAllocate: ten readers of a hub cost a run no memory.
func TestEventsDoNotAllocate(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	rt, plan, hub := graph.NewRuntime(graph.Config{}), graphtest.Loop(100), graph.NewHub[graph.Event](256)
	for range 10 {
		defer hub.Reader().Lost()
	}
	count := func(sink graph.Sink) float64 {
		return testing.AllocsPerRun(20, func() {
			if _, err := rt.Run(t.Context(), plan, graph.Call{Thread: "t", Turn: "1", Sink: sink}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if silent, heard := count(nil), count(hub.Send); heard > silent+1 {
		t.Errorf("%.0f allocations a run with readers, %.0f without", heard, silent)
	}
}
