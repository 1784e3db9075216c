package builtin

import (
	"cmp"
	"context"
	_ "embed" // for the bootstrap
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"maru/agent/tool"
	"maru/phrase"
)

// Sandbox bounds Python programs.
type Sandbox struct {
	Python  string        // interpreter under /usr; default /usr/bin/python3
	Timeout time.Duration // wall time of one program; default 5 s
	Memory  int64         // bytes of address space of one process; default 512 MiB
	Slots   int           // programs at the same time; default 2
}

// Bounds of the sandbox that need no setting.
const (
	maxProcesses = 8        // processes and threads of one program
	maxScratch   = 16 << 20 // bytes of its folder
	maxWritten   = 8 << 20  // bytes of one file
	maxStdout    = 12 << 10 // bytes that are kept of its output
	maxStderr    = 3 << 10  // bytes that are kept of its errors, the last ones
	floodLimit   = 1 << 20  // bytes of output after which it is stopped
)

// bootstrap runs inside, before the program: see python.py.
//
//go:embed python.py
var bootstrap string

// python runs programs in the sandbox.
type python struct {
	box   Sandbox
	slots chan int // numbers of the free slots
}

// NewPython returns the python tool. Ask [Sandbox.Probe] first whether it works
// on this machine; where it does not, the tool must not be offered.
func NewPython(box Sandbox) tool.Tool {
	box = box.withDefaults()
	slots := make(chan int, box.Slots)
	for i := range box.Slots {
		slots <- i
	}
	return &python{box, slots}
}

func (s Sandbox) withDefaults() Sandbox {
	s.Python = cmp.Or(s.Python, "/usr/bin/python3")
	s.Timeout = cmp.Or(max(s.Timeout, 0), 5*time.Second)
	s.Memory = cmp.Or(max(s.Memory, 0), 512<<20)
	s.Slots = cmp.Or(max(s.Slots, 0), 2)
	return s
}

const pythonWords = `Runs a Python 3 program and returns what it prints; the value of a last expression is printed too. Standard library only, no network, no files but its own empty folder, a few seconds and little memory. Nothing is kept between calls. Use it for data, text and algorithms; use calculator for plain arithmetic.`

// Spec implements tool.Tool.
func (p *python) Spec() tool.Spec {
	return tool.Spec{
		Name:        "python",
		Title:       phrase.Of("builtin.doing.python"),
		Description: pythonWords,
		Parameters: json.RawMessage(`{"type":"object","properties":{
			"code":{"type":"string","minLength":1,"maxLength":50000,"description":"the whole program"}},
			"required":["code"],"additionalProperties":false}`),
		Policy:  tool.Policy{ReadOnly: true, Idempotent: true, Own: true, Executes: true, Sandboxed: true},
		Timeout: 3*p.box.Timeout + 5*time.Second, // a turn in the queue included
	}
}

// Call implements tool.Tool.
func (p *python) Call(ctx context.Context, call tool.Call) (tool.Result, error) {
	var args struct {
		Code string `json:"code"`
	}
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return tool.Result{}, fmt.Errorf("decode arguments: %w", err)
	}
	select {
	case <-ctx.Done():
		return tool.Result{}, &tool.Error{
			Code: "limit", Model: "All sandboxes are busy. Try once more later in this answer, or do without.",
			People: phrase.Of("builtin.python.busy"),
			Err:    ctx.Err(),
		}
	case slot := <-p.slots:
		defer func() { p.slots <- slot }()
		out, err := p.box.run(ctx, slot, args.Code)
		if err != nil {
			return tool.Result{}, p.failure(err)
		}
		return tool.Result{Text: out.text()}, nil
	}
}

// errSlow says that a program ran into its wall time.
var errSlow = errors.New("out of time")

// failure makes an error for model and people.
func (p *python) failure(err error) error {
	switch {
	case errors.Is(err, errSlow):
		e := tool.Timeout("python", p.box.Timeout, nil)
		e.Model = fmt.Sprintf("The program did not finish within %s and was stopped. Write one that needs less time.", p.box.Timeout)
		return e
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	}
	return &tool.Error{
		Code: "unavailable", Model: "Python cannot be run here now. Do without it, and do not invent its output.",
		People: phrase.Of("builtin.python.down"), Err: err,
	}
}

// outcome is how a program ended.
type outcome struct {
	stdout, stderr string
	exit           int
	flooded        bool
}

// text renders an outcome for the model.
func (o outcome) text() string {
	var parts []string
	if o.stdout != "" {
		parts = append(parts, o.stdout)
	}
	if o.stderr != "" {
		parts = append(parts, "stderr:\n"+o.stderr)
	}
	switch {
	case o.flooded:
		parts = append(parts, "[stopped: it printed without end]")
	case o.exit > 128:
		parts = append(parts, fmt.Sprintf("[stopped by a limit: signal %d]", o.exit-128))
	case o.exit != 0:
		parts = append(parts, fmt.Sprintf("[exit status %d]", o.exit))
	}
	if len(parts) == 0 {
		return "[no output: print what you want to see]"
	}
	return strings.Join(parts, "\n")
}

// window keeps the beginning or the end of what is written to it.
type window struct {
	limit int
	tail  bool
	flood func() // called when more than floodLimit was written
	kept  []byte
	total int
}

// Write implements io.Writer; it never fails, so that a program that prints too
// much is stopped by us and not by a broken pipe.
func (w *window) Write(p []byte) (int, error) {
	before := w.total
	w.total += len(p)
	if w.tail {
		w.kept = append(w.kept, p...)
		w.kept = w.kept[max(0, len(w.kept)-w.limit):]
	} else if room := w.limit - len(w.kept); room > 0 {
		w.kept = append(w.kept, p[:min(room, len(p))]...)
	}
	if before <= floodLimit && w.total > floodLimit {
		w.flood()
	}
	return len(p), nil
}

// String returns what was kept, with a note on what was not.
func (w *window) String() string {
	text := strings.ToValidUTF8(string(w.kept), "")
	left := w.total - len(w.kept)
	switch {
	case left == 0:
		return strings.TrimRight(text, "\n")
	case w.tail:
		return fmt.Sprintf("[… %d bytes before]\n", left) + strings.TrimRight(text, "\n")
	}
	return text + fmt.Sprintf("\n[… %d more bytes]", left)
}
