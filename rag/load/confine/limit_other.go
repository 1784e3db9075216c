//go:build !linux

package confine

import (
	"os/exec"
	"time"
)

// Bind does nothing: this system's limits do not fit a Go program, whose memory the garbage collector's own limit
// bounds.
func Bind(int) error { return nil }

func bindCPU(time.Duration) error { return nil }

// BindFiles forbids this process to write files, if the system supports it.
func BindFiles() error { return nil }

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }
