package console

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Remote is a process's terminal for a conversation that another process holds, see [Door.Chat]: that one reads from it what the person
// types, and writes to it. Until Begin it is as it was, so that Ctrl-C ends a process whose call nobody answers.
type Remote struct {
	cfg     Config
	leave   func()
	pressed atomic.Int32 // Ctrl-C in a row, without an echo of the other process

	mu   sync.Mutex
	undo func() // nil: the terminal is as it was
}

// NewRemote returns the terminal of cfg. Two Ctrl-C that the other process does not react to call leave: in raw mode they are
// characters that only that process would act on.
func NewRemote(cfg Config, leave func()) *Remote { return &Remote{cfg: cfg, leave: leave} }

// Args returns what [Called] reads there.
func (r *Remote) Args() []string {
	width := 0
	if _, out, ok := terminalOf(r.cfg.In, r.cfg.Out); ok {
		width = columns(out)()
	}
	dir, _ := os.Getwd() // without it, relative paths are those of the other process
	return []string{"--thread=" + r.cfg.Thread, "--width=" + strconv.Itoa(width), "--dir=" + dir}
}

// Begin readies the terminal for a conversation that the other process has begun.
func (r *Remote) Begin() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if undo, _, ok := raw(r.cfg.In, r.cfg.Out); ok && r.undo == nil {
		r.undo = undo
	}
}

// Close restores the terminal, even after a process that died without doing so.
func (r *Remote) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.undo == nil {
		return
	}
	_, _ = io.WriteString(r.cfg.Out, unbracketed) // a closed terminal needs none
	r.undo()
	r.undo = nil
}

// Read implements io.Reader.
func (r *Remote) Read(p []byte) (int, error) {
	n, err := r.cfg.In.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		return n, fmt.Errorf("read the terminal: %w", err)
	}
	r.mu.Lock()
	typed := r.undo != nil
	r.mu.Unlock()
	if !typed {
		return n, err
	}
	text := p[:n]
	if others := bytes.TrimRight(text, string(ctrlC)); len(others) > 0 {
		r.pressed.Store(0)
		text = text[len(others):]
	}
	if r.pressed.Add(int32(len(text))) >= 2 { //nolint:gosec // a buffer's length
		r.leave()
	}
	return n, err
}

// Write implements io.Writer.
func (r *Remote) Write(p []byte) (int, error) {
	r.pressed.Store(0)
	return r.cfg.Out.Write(p) //nolint:wrapcheck // an io.Writer
}

// Called adds to cfg what [Remote] says of the caller.
func Called(cfg Config, args []string) (Config, error) {
	f := flag.NewFlagSet("chat", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&cfg.Thread, "thread", "", "")
	f.StringVar(&cfg.Dir, "dir", "", "")
	width := f.Int("width", 0, "")
	if err := f.Parse(args); err != nil {
		return cfg, err
	}
	cfg.Dir = strings.TrimSpace(cfg.Dir)
	if *width > 0 {
		cfg.Width = func() int { return *width }
	}
	return cfg, nil
}
