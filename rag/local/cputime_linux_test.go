package local_test

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// spent returns the processor's time of this thread, or of the whole process, which
// other programs on the machine do not lengthen.
func spent(b *testing.B, clock int32) time.Duration {
	b.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

const (
	ofThread  = unix.CLOCK_THREAD_CPUTIME_ID
	ofProcess = unix.CLOCK_PROCESS_CPUTIME_ID
)
