// Package confine runs a program as a child process with bounds on time, memory and output, for parsing hostile
// bytes: [Run] in the parent, [Bind] and [BindFiles] in the child.
//
// It must not know the child's work.
package confine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// ErrOutput reports that the child exceeded its output limit.
var ErrOutput = errors.New("more output than the limit")

// killWait bounds the time that a killed child may hold its pipes open.
const killWait = 2 * time.Second

// Run runs a command with input and returns its output, at most limit bytes. The child's environment has only the
// variables a Go program needs, so no secrets; its process group is killed on a timeout or excess output. The error
// is that of ctx, [ErrOutput], [context.DeadlineExceeded] for the timeout, or a [*Death].
func Run(ctx context.Context, command []string, in io.Reader, limit int, timeout time.Duration) ([]byte, error) {
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(timed, command[0], command[1:]...)
	cmd.Env = []string{"GOTRACEBACK=none", "GOMAXPROCS=2"}
	if RaceDetector { // it holds every exiting process for a second
		cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0")
	}
	cmd.Dir = "/"
	cmd.Stdin = in
	stdout := &bounded{left: limit, over: cancel}
	stderr := &bounded{left: 4 << 10}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	ownGroup(cmd)
	cmd.WaitDelay = killWait
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case stdout.full: // the cancellation is a consequence, not the cause
		return nil, ErrOutput
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return nil, timed.Err()
	case err != nil:
		return nil, &Death{Err: err, Said: stderr.buf.String()}
	}
	return stdout.buf.Bytes(), nil
}

// Death is an abnormal exit of a child.
type Death struct {
	Err  error
	Said string // the beginning of its standard error
}

func (d *Death) Error() string {
	first, _, _ := strings.Cut(d.Said, "\n")
	return fmt.Sprintf("%v: %.200s", d.Err, first)
}

func (d *Death) Unwrap() error { return d.Err }

// OutOfMemory reports whether the child hit its memory limit.
func (d *Death) OutOfMemory() bool {
	return strings.Contains(d.Said, "out of memory") || strings.Contains(d.Said, "cannot allocate")
}

// Killed reports whether the system killed the child, as for its CPU time.
func (d *Death) Killed() bool {
	return strings.Contains(d.Err.Error(), "killed") || strings.Contains(d.Err.Error(), "CPU time")
}

// bounded is a buffer with a size limit.
type bounded struct {
	buf  bytes.Buffer // not embedded: its ReadFrom would bypass the bound
	left int
	full bool
	over func() // called once when more comes; nil: the rest is dropped
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.buf.Write(p[:n])
	if n == len(p) {
		return n, nil
	}
	b.full = true
	if b.over == nil {
		return len(p), nil
	}
	b.over()
	return n, io.ErrShortWrite
}
