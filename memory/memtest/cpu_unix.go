//go:build unix

package memtest

import (
	"syscall"
	"testing"
	"time"
)

// processorTime returns how many seconds of a processor this process has used.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}
