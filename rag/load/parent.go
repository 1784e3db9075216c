package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"
)

// killWait is how long a killed child may hold its pipes open.
const killWait = 2 * time.Second

// parseInChild gives the file to a child process and reads its blocks. The
// child gets no environment but what a Go program needs, so no secret of ours;
// it is killed with all it started when it runs over the time or the output.
func (l *Loader) parseInChild(ctx context.Context, kind format, name string, data []byte) (parsed, error) {
	req := request{Format: kind, Limits: l.cfg.limits(), Memory: l.cfg.Memory, Timeout: l.cfg.Timeout}
	if l.cfg.PDFium.Module != "" && (kind == pdfFile || kind == archive) {
		req.PDFium = &l.cfg.PDFium
	}
	head, err := json.Marshal(req)
	if err != nil {
		return parsed{}, fault(Crashed, name, err)
	}
	timed, cancel := context.WithTimeout(ctx, l.cfg.Timeout)
	defer cancel()
	cmd := exec.CommandContext(timed, l.cfg.Command[0], l.cfg.Command[1:]...)
	cmd.Env = []string{"GOTRACEBACK=none", "GOMAXPROCS=2"}
	if raceDetector { // it holds every exiting process for a second
		cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0")
	}
	cmd.Dir = "/"
	cmd.Stdin = io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(data))
	// JSON of text is rarely twice as long as the text, never more than six times.
	stdout := &bounded{left: 6*l.cfg.MaxText + 1<<20, over: cancel}
	stderr := &bounded{left: 4 << 10}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	ownGroup(cmd)
	cmd.WaitDelay = killWait
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return parsed{}, ctx.Err()
	case stdout.full: // the cancellation that it caused is not what went wrong
		return parsed{}, fault(TooComplex, name, errTextLimit)
	case errors.Is(timed.Err(), context.DeadlineExceeded):
		return parsed{}, fault(Timeout, name, timed.Err())
	case err != nil:
		return parsed{}, crash(name, err, stderr.buf.String())
	}
	return l.readReply(name, stdout.buf.Bytes())
}

func (l *Loader) readReply(name string, out []byte) (parsed, error) {
	var rep reply
	if err := json.Unmarshal(out, &rep); err != nil {
		return parsed{}, fault(Crashed, name, fmt.Errorf("read the child's reply: %w", err))
	}
	for _, why := range rep.PDFium[:min(len(rep.PDFium), maxSaid)] { // a child's word is not trusted
		l.cfg.Log.Warn("PDFium did not read a PDF, the program's own extractor tried", "file", name, "why", fmt.Sprintf("%.300q", why))
	}
	if rep.Code == "" {
		return rep.Parsed, nil
	}
	if !rep.Code.known() {
		return parsed{}, fault(Crashed, name, errors.New("the child gave an unknown reason"))
	}
	var detail error
	if rep.Detail != "" {
		detail = errors.New(rep.Detail)
	}
	return parsed{}, fault(rep.Code, name, detail)
}

// crash tells a child that ran out of memory or processor time from one that fell over.
func crash(name string, err error, stderr string) error {
	first, _, _ := strings.Cut(stderr, "\n")
	detail := fmt.Errorf("%w: %.200s", err, first)
	if strings.Contains(stderr, "out of memory") || strings.Contains(stderr, "cannot allocate") {
		return fault(TooComplex, name, detail)
	}
	if strings.Contains(err.Error(), "killed") || strings.Contains(err.Error(), "CPU time") {
		return fault(Timeout, name, detail)
	}
	return fault(Crashed, name, detail)
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
