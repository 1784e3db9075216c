//go:build !linux

package builtin

import (
	"context"
	"errors"
)

// errNotLinux says that the sandbox is made of parts of Linux.
var errNotLinux = errors.New("the Python sandbox needs Linux")

// Probe reports why programs cannot be sandboxed on this machine.
func (Sandbox) Probe(context.Context) error { return errNotLinux }

func (Sandbox) run(context.Context, int, string) (outcome, error) { return outcome{}, errNotLinux }
