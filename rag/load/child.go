package load

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"maru/rag/load/pdfium"
)

// request is the first line of what a child reads; the file's bytes follow.
type request struct {
	Format  format        `json:"format"`
	Limits  limits        `json:"limits"`
	Memory  int           `json:"memory"`
	Timeout time.Duration `json:"timeout"`

	PDFium *pdfium.Config `json:"pdfium,omitempty"` // nil: not for this file
}

// reply is what a child writes.
type reply struct {
	Parsed parsed `json:"parsed"`
	Code   Code   `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`

	PDFium []string `json:"pdfium,omitempty"` // why PDFium did not read what it was given
}

// Child is the whole of the child process: it binds itself to the limits in the
// request, parses one file from in and writes what it found to out. The
// command that Config.Command names calls it with standard input and output
// and then exits with its result. It needs no environment, and opens no file
// but PDFium's, before it has seen a byte of the one that it parses.
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
		if err := bind(req.Memory, req.Timeout); err != nil {
			return fmt.Errorf("set limits: %w", err)
		}
	}
	if req.PDFium != nil {
		req.Limits.pdfium = openPDFium(*req.PDFium)
		defer req.Limits.pdfium.close()
	}
	if req.Memory > 0 {
		if err := bindFiles(); err != nil {
			return fmt.Errorf("set limits: %w", err)
		}
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	return json.NewEncoder(out).Encode(childReply(req, data))
}

// childReply parses; a parser that panics has met a broken file.
func childReply(req request, data []byte) (rep reply) {
	defer func() {
		if p := recover(); p != nil {
			rep = reply{Code: Broken, Detail: fmt.Sprintf("parser panic: %.200v", p)}
		}
		rep.PDFium = req.Limits.pdfium.said()
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
