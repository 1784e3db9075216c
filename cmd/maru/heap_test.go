package main

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

// live keeps a test's memory alive.
var live []byte

// A heap that grows gives its room back at the next collection.
func TestHeapRoomFollowsTheHeap(t *testing.T) {
	t.Setenv("GOGC", "")
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetGCPercent(usualPercent)
	t.Cleanup(func() { live = nil; debug.SetGCPercent(before) })
	settled := func(want func(percent int) bool) int {
		for range 200 {
			runtime.GC()
			time.Sleep(10 * time.Millisecond) // clean-ups run beside the collection
			if p := percentNow(); want(p) {
				return p
			}
		}
		return percentNow()
	}
	keepHeapRoom()
	live = make([]byte, 2*heapRoom)
	if p := settled(func(p int) bool { return p == usualPercent }); p != usualPercent {
		t.Fatalf("with %d MB live the heap may grow by %d %%, want %d", 2*heapRoom>>20, p, usualPercent)
	}
	live = nil
	if p := settled(func(p int) bool { return p > usualPercent }); p <= usualPercent {
		t.Fatalf("a small heap may grow by %d %%, want more than %d", p, usualPercent)
	}
}

// percentNow is what is set.
func percentNow() int {
	set := []gauges.Sample{{Name: "/gc/gogc:percent"}}
	gauges.Read(set)
	return int(set[0].Value.Uint64())
}
