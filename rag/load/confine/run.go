// Package confine runs a program as a child process with bounds on time, memory and
// output, for work on bytes that strangers made hostile: [Run] in the parent, [Bind] and
// [BindFiles] in the child.
//
// It must not know what the child does.
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

// ErrOutput means that the child wrote more than it may.
var ErrOutput = errors.New("more output than the limit")

// killWait is how long a killed child may hold its pipes open.
const killWait = 2 * time.Second

// Run starts a command with its input and returns what it wrote, at most limit bytes. The
// child gets no environment but what a Go program needs, so no secret of ours; it is killed
// with all it started when it runs over the time or the output. The error is that of ctx,
// [ErrOutput], [context.DeadlineExceeded] for the timeout, or a [*Death].
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
	case stdout.full: // the cancellation that it caused is not what went wrong
		return nil, ErrOutput
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return nil, timed.Err()
	case err != nil:
		return nil, &Death{Err: err, Said: stderr.buf.String()}
	}
	return stdout.buf.Bytes(), nil
}

// Death is how a child ended that did not end well.
type Death struct {
	Err  error
	Said string // the beginning of its standard error
}

func (d *Death) Error() string {
	first, _, _ := strings.Cut(d.Said, "\n")
	return fmt.Sprintf("%v: %.200s", d.Err, first)
}

func (d *Death) Unwrap() error { return d.Err }

// OutOfMemory reports whether the child wanted more memory than it may have.
func (d *Death) OutOfMemory() bool {
	return strings.Contains(d.Said, "out of memory") || strings.Contains(d.Said, "cannot allocate")
}

// Killed reports whether the system ended the child, as for its processor time.
func (d *Death) Killed() bool {
	return strings.Contains(d.Err.Error(), "killed") || strings.Contains(d.Err.Error(), "CPU time")
}

// bounded is a buffer that refuses more than its share.
type bounded struct {
	buf  bytes.Buffer // not embedded: its ReadFrom would go round the bound
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
