//go:build !linux

package load

import (
	"os"
	"os/exec"
	"time"
)

// bind bounds the time; memory is bounded by the garbage collector's own limit
// only, because this system's limits do not fit a Go program.
func bind(_ int, timeout time.Duration) error {
	time.AfterFunc(timeout+time.Second, func() { os.Exit(3) })
	return nil
}

func bindFiles() error { return nil }

func ownGroup(*exec.Cmd) {}
