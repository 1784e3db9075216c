package load

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"time"

	"maru/rag"
	"maru/rag/load/confine"
	"maru/rag/load/ocr"
	"maru/rag/load/pdf"
)

// request is a line of a child's input; the file's bytes follow.
type request struct {
	Format  format        `json:"format"`
	Size    int           `json:"size"` // bytes of the file
	Limits  limits        `json:"limits"`
	Memory  int           `json:"memory"`
	Timeout time.Duration `json:"timeout"`

	OCR  *ocr.Config `json:"ocr,omitempty"`  // nil: the file has no pictures to recognise
	PDF  *pdf.Config `json:"pdf,omitempty"`  // nil: the file has no PDF
	Fill bool        `json:"fill,omitempty"` // no file follows: fill the PDF engine's cache
}

// frame is a line of a child's output: a passage, or the end of the answer to one request.
type frame struct {
	Passage *passage `json:"p,omitempty"`
	End     *reply   `json:"end,omitempty"`
}

// passage is a [rag.Chunk] without what the parent sets.
type passage struct {
	Same    bool     `json:"m,omitempty"` // same headings as the previous passage
	Heading []string `json:"h,omitempty"`
	Page    int      `json:"p,omitempty"`
	Start   int      `json:"s"`
	End     int      `json:"e"`
	Text    string   `json:"t"`
}

// reply is the end of a child's answer.
type reply struct {
	Result result `json:"result"`
	Code   Code   `json:"code,omitempty"`
	Detail string `json:"detail,omitempty"`

	Cache string `json:"cache,omitempty"` // error of the PDF engine's cache, for which the file was not read
}

// Child is the body of the child process: it applies the requests' limits to itself, reads files from in and writes
// their passages to out until in ends. The command named by Config.Command calls it with standard input and output and
// exits with its result. It needs no environment, writes no file, and reads none but the PDF engine's cache. A child
// that fills that cache reads no file.
func Child(in io.Reader, out io.Writer) error {
	c := child{in: bufio.NewReaderSize(in, 64<<10), out: bufio.NewWriterSize(out, 64<<10)}
	c.enc = json.NewEncoder(c.out)
	c.enc.SetEscapeHTML(false)
	for {
		line, err := c.in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read request: %w", err)
		}
		var req request
		if err := json.Unmarshal(line, &req); err != nil {
			return fmt.Errorf("read request: %w", err)
		}
		if err := c.answer(req); err != nil {
			return err
		}
		if err := c.out.Flush(); err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
	}
}

type child struct {
	in    *bufio.Reader
	out   *bufio.Writer
	enc   *json.Encoder
	bound bool
}

// answer processes one request.
func (c *child) answer(req request) error {
	if req.Memory > 0 {
		if err := c.bind(req); err != nil {
			return fmt.Errorf("set limits: %w", err)
		}
		stop, err := confine.BindTime(req.Timeout)
		if err != nil {
			return fmt.Errorf("set limits: %w", err)
		}
		defer stop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), max(req.Timeout, time.Second))
	defer cancel()
	if req.Fill {
		return c.enc.Encode(frame{End: &reply{Cache: brief(pdf.Fill(ctx, *req.PDF))}})
	}
	if req.PDF != nil {
		req.Limits.pdf = newPDFReader(ctx, *req.PDF)
		defer req.Limits.pdf.close()
		_ = req.Limits.pdf.open() // before the file is read
	}
	req.Limits.ocr = ocr.New(ctx, req.OCR)
	data := make([]byte, req.Size)
	if _, err := io.ReadFull(c.in, data); err != nil {
		return fmt.Errorf("read file: %w", err)
	}
	if err := req.Limits.pdf.open(); errors.Is(err, pdf.ErrDamaged) { // parsePDF reports other errors
		return c.enc.Encode(frame{End: &reply{Cache: brief(err)}})
	}
	rep, err := c.read(req, data)
	if err != nil {
		return err
	}
	return c.enc.Encode(frame{End: &rep})
}

// bind applies the limits that hold for the life of the process.
func (c *child) bind(req request) error {
	if c.bound {
		return nil
	}
	c.bound = true
	debug.SetGCPercent(gcPercent)
	debug.SetMemoryLimit(int64(req.Memory))
	if err := confine.Bind(req.Memory); err != nil {
		return err
	}
	if req.Fill {
		return nil
	}
	return confine.BindFiles()
}

// gcPercent limits the child's garbage: parsers hold a file of 20 MB more than once.
const gcPercent = 30

// read parses a file and writes its passages; a panic means a broken file.
func (c *child) read(req request, data []byte) (rep reply, err error) {
	defer func() {
		if p := recover(); p != nil {
			rep = reply{Code: Broken, Detail: fmt.Sprintf("parser panic: %.200v", p)}
		}
	}()
	if parser(req.Format) == nil {
		return reply{Code: Unsupported}, nil
	}
	var last []string
	var failed error
	out, err := read(req.Format, data, req.Limits, func(ch rag.Chunk) {
		if failed != nil {
			return
		}
		p := passage{Heading: ch.Heading, Page: ch.Page, Start: ch.Start, End: ch.End, Text: ch.Text}
		if slices.Equal(p.Heading, last) {
			p.Same, p.Heading = true, nil
		}
		last = ch.Heading
		failed = c.enc.Encode(frame{Passage: &p})
	})
	if failed != nil {
		return reply{}, fmt.Errorf("write passage: %w", failed)
	}
	if err == nil {
		return reply{Result: out}, nil
	}
	rep = reply{Code: Broken, Detail: fmt.Sprintf("%.500v", err)}
	var e *Error
	if errors.As(err, &e) {
		rep.Code, rep.Detail = e.Code, ""
		if e.Err != nil {
			rep.Detail = fmt.Sprintf("%.500v", e.Err)
		}
	}
	return rep, nil
}

// brief shortens an error; "" is nil.
func brief(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("%.300v", err)
}
