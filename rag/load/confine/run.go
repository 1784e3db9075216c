// Package confine runs a program as a child process that answers requests, with bounds on time, memory and output, for
// parsing hostile bytes: [Start] and [Child.Ask] in the parent, [Bind], [BindTime] and [BindFiles] in the child.
//
// It must not know the child's work.
package confine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ErrOutput reports that the child exceeded its output limit.
var ErrOutput = errors.New("more output than the limit")

// killWait bounds the time that a killed child may hold its pipes open.
const killWait = 2 * time.Second

const (
	parentEnv   = "MARU_PARENT"          // in a child's environment: the process that started it
	parentCheck = 200 * time.Millisecond // the interval at which a child at work looks for its parent
)

// BindTime ends this process if stop is not called within timeout or its parent is killed meanwhile, and on Linux bounds
// its CPU time until then.
func BindTime(timeout time.Duration) (stop func(), err error) {
	if err := bindCPU(timeout); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		late, look := time.After(timeout+time.Second), time.NewTicker(parentCheck)
		defer look.Stop()
		for {
			select {
			case <-ended:
				return
			case <-late:
				os.Exit(3)
			case <-look.C:
				if orphaned() {
					os.Exit(3)
				}
			}
		}
	}()
	return sync.OnceFunc(func() { close(ended) }), nil
}

// orphaned reports whether another process has inherited this one from the one that started it.
func orphaned() bool {
	parent, err := strconv.Atoi(os.Getenv(parentEnv))
	return err == nil && os.Getppid() != parent
}

// Child is a running child process. It is not safe for concurrent use.
type Child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.Reader
	stderr *head
}

// Start starts a command. The child's environment has only the variables a Go program needs, so no secrets.
func Start(command []string) (*Child, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = []string{"GOTRACEBACK=none", "GOMAXPROCS=2", parentEnv + "=" + strconv.Itoa(os.Getpid())}
	if RaceDetector { // it holds every exiting process for a second
		cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0")
	}
	cmd.Dir = "/"
	cmd.WaitDelay = killWait
	ownGroup(cmd)
	c := &Child{cmd: cmd, stderr: &head{left: 4 << 10}}
	cmd.Stderr = c.stderr
	var err error
	if c.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if c.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return c, cmd.Start()
}

// Ask writes a request to the child and lets read consume the answer, of at most limit bytes, within timeout. After an
// error the child is dead: its process group is killed. The error is that of ctx, [ErrOutput],
// [context.DeadlineExceeded] for the timeout, a [*Death], or that of read.
func (c *Child) Ask(ctx context.Context, in io.Reader, limit int, timeout time.Duration, read func(io.Reader) error) error {
	timed, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	defer context.AfterFunc(timed, func() { _ = killGroup(c.cmd) })()
	written := make(chan error, 1)
	go func() {
		_, err := io.Copy(c.in, in)
		written <- err
	}()
	out := &capped{r: c.out, left: limit}
	err := read(out)
	if err == nil {
		if err = <-written; err == nil && timed.Err() == nil {
			return nil
		}
	}
	died := c.end(!out.ended)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return timed.Err()
	case out.full:
		return ErrOutput
	case out.ended || err == nil: // it died before the end of its answer
		return &Death{Err: died, Said: c.stderr.buf.String()}
	}
	return err
}

// Close ends an idle child.
func (c *Child) Close() { _ = c.end(false) }

// end ends the child, at once or when it sees the end of its input, and returns how it ended.
func (c *Child) end(now bool) error {
	_ = c.in.Close()
	if now {
		_ = killGroup(c.cmd)
	}
	defer time.AfterFunc(killWait, func() { _ = killGroup(c.cmd) }).Stop()
	return c.cmd.Wait()
}

// Death is an abnormal exit of a child.
type Death struct {
	Err  error  // nil: it ended as if all was well
	Said string // the beginning of its standard error
}

func (d *Death) Error() string {
	first, _, _ := strings.Cut(d.Said, "\n")
	return fmt.Sprintf("the child ended: %v: %.200s", d.Err, first)
}

func (d *Death) Unwrap() error { return d.Err }

// OutOfMemory reports whether the child hit its memory limit.
func (d *Death) OutOfMemory() bool {
	return strings.Contains(d.Said, "out of memory") || strings.Contains(d.Said, "cannot allocate")
}

// Killed reports whether the system killed the child, as for its CPU time.
func (d *Death) Killed() bool {
	return strings.Contains(d.Said, "SIGXCPU") || d.Err != nil &&
		(strings.Contains(d.Err.Error(), "killed") || strings.Contains(d.Err.Error(), "CPU time"))
}

// capped fails a read beyond its limit.
type capped struct {
	r           io.Reader
	left        int
	full, ended bool
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		c.full = true
		return 0, ErrOutput
	}
	n, err := c.r.Read(p[:min(len(p), c.left)])
	c.left -= n
	c.ended = err != nil
	return n, err
}

// head keeps the beginning of what is written to it.
type head struct {
	buf  bytes.Buffer // not embedded: its ReadFrom would bypass the bound
	left int
}

func (b *head) Write(p []byte) (int, error) {
	n := min(len(p), b.left)
	b.left -= n
	b.buf.Write(p[:n])
	return len(p), nil
}
