//go:build !linux

package mcp

import (
	"os"
	"os/exec"
)

// ownGroup does nothing here: only the child itself is ended.
func ownGroup(*exec.Cmd) {}

// terminate asks a child to end.
func terminate(cmd *exec.Cmd) { _ = cmd.Process.Signal(os.Interrupt) }

// kill ends a child.
func kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
