package heap

import (
	"runtime"
	"runtime/debug"
	gauges "runtime/metrics"
	"testing"
	"time"
)

func TestHeapRoomGrowth(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 100}, // not yet known
		{1, 1000},
		{1 << 20, 1000},
		{8 << 20, 400},
		{9 << 20, 350},
		{20 << 20, 150},
		{32 << 20, 100},
		{300 << 20, 100}, // a large heap is not made larger
		{1 << 40, 100},
	} {
		if got := growth(c.live); got != c.want {
			t.Errorf("growth(%d) = %d, want %d", c.live, got, c.want)
		}
	}
}

// Sampling that goes on would show in the profile.
func TestStopSampling(t *testing.T) {
	before := runtime.MemProfileRate
	t.Cleanup(func() { runtime.MemProfileRate = before })
	runtime.MemProfileRate = 1
	StopSampling()
	sampled := func() (n int64) {
		runtime.GC()
		runtime.GC() // a profile is of the collection before the last
		records := make([]runtime.MemProfileRecord, 1000)
		all, _ := runtime.MemProfile(records, true)
		for _, r := range records[:min(all, len(records))] {
			n += r.AllocObjects
		}
		return n
	}
	const blocks = 1000
	was := sampled()
	for range blocks {
		live = make([]byte, 1<<10)
	}
	live = nil
	if now := sampled(); now > was+blocks/10 { // each processor takes one more
		t.Errorf("%d of %d allocations were sampled", now-was, blocks)
	}
}

// live keeps a test's memory alive.
var live []byte

// A heap that grows gives its room back at the next collection.
func TestHeapRoomFollowsTheHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetGCPercent(usualPercent)
	t.Cleanup(func() { live = nil; debug.SetGCPercent(before) })
	settled := func(want func() int) {
		t.Helper()
		for range 200 {
			runtime.GC()
			time.Sleep(10 * time.Millisecond) // clean-ups run beside the collection
			if percentNow() == want() {
				return
			}
		}
		t.Fatalf("with %d MB live the heap may grow by %d %%, want %d", liveNow()>>20, percentNow(), want())
	}
	KeepRoom()
	live = make([]byte, 2*room)
	settled(func() int { return usualPercent })
	live = nil
	settled(func() int { return growth(liveNow()) }) // more than usual, unless other tests keep as much
}

// liveNow returns how much the last collection found in use.
func liveNow() uint64 {
	heap := []gauges.Sample{{Name: "/gc/heap/live:bytes"}}
	gauges.Read(heap)
	return heap[0].Value.Uint64()
}

// percentNow returns what is set.
func percentNow() int {
	set := []gauges.Sample{{Name: "/gc/gogc:percent"}}
	gauges.Read(set)
	return int(set[0].Value.Uint64())
}
