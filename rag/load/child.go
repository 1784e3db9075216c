package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"maru/rag/load/confine"
	"maru/rag/load/pdf"
)

// request is the first line of a child's input; the file's bytes follow.
type request struct {
	Format  format        `json:"format"`
	Limits  limits        `json:"limits"`
	Memory  int           `json:"memory"`
	Timeout time.Duration `json:"timeout"`

	PDF  *pdf.Config `json:"pdf,omitempty"`  // nil: the file has no PDF
	Fill bool        `json:"fill,omitempty"` // no file follows: fill the PDF engine's cache
}

// reply is a child's output.
type reply struct {
	Parsed parsed `json:"parsed"`
	Code   Code   `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`

	Cache string `json:"cache,omitempty"` // fault of the PDF engine's cache
}

// Child is the body of the child process: it applies the request's limits to itself, parses one file from in and
// writes the result to out. The command named by Config.Command calls it with standard input and output and exits
// with its result. It needs no environment, writes no file, and reads none but the PDF engine's cache. A child that
// fills that cache parses no file.
func Child(in io.Reader, out io.Writer) error {
	r := bufio.NewReader(in)
	line, err := r.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	if req.Memory > 0 {
		debug.SetMemoryLimit(int64(req.Memory))
		if err := confine.Bind(req.Memory, req.Timeout); err != nil {
			return fmt.Errorf("set limits: %w", err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), max(req.Timeout, time.Second))
	defer cancel()
	if req.Fill {
		return json.NewEncoder(out).Encode(reply{Cache: brief(pdf.Fill(ctx, *req.PDF))})
	}
	if req.Memory > 0 {
		if err := confine.BindFiles(); err != nil {
			return fmt.Errorf("set limits: %w", err)
		}
	}
	if req.PDF != nil {
		req.Limits.pdf = newPDFReader(ctx, *req.PDF)
		defer req.Limits.pdf.close()
		_ = req.Limits.pdf.open() // parsePDF tells the error
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	return json.NewEncoder(out).Encode(childReply(req, data))
}

// childReply parses; a panic means a broken file.
func childReply(req request, data []byte) (rep reply) {
	defer func() {
		if p := recover(); p != nil {
			rep = reply{Code: Broken, Detail: fmt.Sprintf("parser panic: %.200v", p)}
		}
		rep.Cache = req.Limits.pdf.note()
	}()
	if parser(req.Format) == nil {
		return reply{Code: Unsupported}
	}
	out, err := parseHere(req.Format, data, req.Limits)
	if err == nil {
		return reply{Parsed: out}
	}
	rep = reply{Code: Broken, Detail: fmt.Sprintf("%.500v", err)}
	var e *Error
	if errors.As(err, &e) {
		rep.Code, rep.Detail = e.Code, ""
		if e.Err != nil {
			rep.Detail = fmt.Sprintf("%.500v", e.Err)
		}
	}
	return rep
}

// brief shortens an error; "" is nil.
func brief(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%.300v", err)
}
