// Package heap lets a small heap grow further between collections than Go does, and spares it samples that nobody reads. It must not know
// what the program keeps there.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	gauges "runtime/metrics"
)

// room is the minimum heap growth between two collections. Go's default is the live heap, for a bot a few
// megabytes: a collection every thirty messages, each taking both processors for 10 ms. With it 1,500 messages cost
// 23 collections instead of 66, and 117 MB resident instead of 89. A fixed GOGC of 400 would let an index of 300 MB
// grow to 1.5 GB; a ballast would count against GOMEMLIMIT.
const room = 32 << 20

// sentinel is an object that nothing refers to: its end is a collection's.
type sentinel struct{ _ *byte }

// KeepRoom makes the heap keep [room] free from here on, and leaves a larger heap to Go. An operator's own GOGC or
// GOMEMLIMIT takes precedence.
func KeepRoom() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	atEachCollection(struct{}{})
}

// StopSampling ends the sampling of allocations, which Go does in every program that can serve a profile of them: a stack
// for each 512 KiB, about one a message, was 1.3 % of the CPU of a message.
func StopSampling() { runtime.MemProfileRate = 0 }

// usualPercent is Go's own setting.
const usualPercent = 100

// atEachCollection sets how far the heap may grow until the next collection, which
// comes back here.
func atEachCollection(struct{}) {
	heap := []gauges.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/gogc:percent"}}
	gauges.Read(heap)
	if want := growth(heap[0].Value.Uint64()); want != int(heap[1].Value.Uint64()) {
		debug.SetGCPercent(want)
	}
	runtime.AddCleanup(&sentinel{}, atEachCollection, struct{}{})
}

// growth returns the growth in percent for a live heap. It is stepped, since a change stops the program for a moment.
func growth(live uint64) int {
	const step, most = 50, 1000
	if live == 0 {
		return usualPercent // nothing was collected yet
	}
	percent := int(min(room*100/live, most)) / step * step
	return max(percent, usualPercent)
}
