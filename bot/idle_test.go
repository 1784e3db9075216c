package bot_test

import (
	"fmt"
	"runtime"
	"testing"

	"maru/bot"
)

// TestIdleApprovalsCostNothing (scorecard E06, scaled) has 2,000 threads wait for a decision over a restart: none has a
// goroutine or memory of its own, and a late one is decided. It runs alone, since it counts what the process has.
func TestIdleApprovalsCostNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it must run alone: make test runs it")
	}
	think, told := counted(asking)
	w := newWorld(t, think)
	const n = 2000
	var last bot.Message
	for i := range n {
		last = w.say("send a mail", w.platform.Thread("C1", fmt.Sprintf("t%d", i)))
	}
	w.settled()
	w.stop()
	has := func() (goroutines int, heap uint64) {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return runtime.NumGoroutine(), m.HeapAlloc
	}
	before, heapBefore := has()
	w.start()
	w.settled()
	after, heapAfter := has()
	each := (int64(heapAfter) - int64(heapBefore)) / n
	t.Logf("%d threads wait: %d goroutines, %d bytes of heap for each", n, after-before, each)
	if after-before > 60 || each > 2048 {
		t.Errorf("%d goroutines and %d bytes a thread", after-before, each)
	}
	if told.Load() != 0 {
		t.Errorf("%d executions without a decision", told.Load())
	}
	w.act(click(last, w.platform.Posts(last.Thread)[0].Card.Buttons[0], "U1"))
	w.replies(last.Thread, 1)
	if told.Load() != 1 {
		t.Errorf("%d executions after one decision", told.Load())
	}
}
