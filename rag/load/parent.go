package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"maru/rag"
	"maru/rag/load/confine"
	"maru/rag/load/pdf"
)

// batch reads files of one origin in shared children.
type batch struct {
	*Loader

	mu   sync.Mutex
	idle []*server
	shut bool
}

// server is a child with the number of files it has read.
type server struct {
	*confine.Child

	files int
}

// filesPerChild limits the files read by one child.
const filesPerChild = 500

// Load implements [rag.Loader].
func (b *batch) Load(ctx context.Context, name string, data []byte) (rag.Document, []rag.Chunk, error) {
	return b.load(name, data, func(kind format) (result, error) {
		if len(b.cfg.Command) == 0 {
			return b.readHere(ctx, kind, name, data)
		}
		return b.readInChild(ctx, kind, name, data)
	})
}

// close ends the batch's children and the readings in progress.
func (b *batch) close() {
	b.mu.Lock()
	idle := b.idle
	b.idle, b.shut = nil, true
	b.mu.Unlock()
	for _, c := range idle {
		c.Close()
	}
}

// take returns an idle child, or starts one. A file with a PDF gets a new child: the PDF engine's memory is not
// released within the process.
func (b *batch) take(fresh bool) (*server, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.idle); n > 0 && !fresh {
		c := b.idle[n-1]
		b.idle = b.idle[:n-1]
		return c, nil
	}
	c, err := confine.Start(b.cfg.Command)
	return &server{Child: c}, err
}

// put returns a child to the pool.
func (b *batch) put(c *server) {
	b.mu.Lock()
	keep := !b.shut && c.files < filesPerChild
	if keep {
		b.idle = append(b.idle, c)
	}
	b.mu.Unlock()
	if !keep {
		c.Close()
	}
}

// readInChild reads a file in a child process. A damaged cache of the PDF engine is made again before the file is read.
func (b *batch) readInChild(ctx context.Context, kind format, name string, data []byte) (result, error) {
	out, end, err := b.askChild(ctx, kind, name, data)
	if err == nil && end.Cache != "" {
		b.pdf.damaged()
		b.cfg.Log.Warn("PDF engine cache damaged, compiling it again", "err", fmt.Sprintf("%.300q", end.Cache)) // the child's output is untrusted
		out, end, err = b.askChild(ctx, kind, name, data)
	}
	if err != nil {
		return result{}, err
	}
	return b.judge(name, out, end)
}

func (b *batch) askChild(ctx context.Context, kind format, name string, data []byte) (out result, end reply, err error) {
	req := request{Format: kind, Size: len(data), Limits: b.cfg.limits(), Memory: b.cfg.Memory, Timeout: b.cfg.Timeout}
	if kind == pdfFile || (kind == archive || kind == eml || kind == msg) && pdf.In(data) {
		cfg, err := b.pdf.config(ctx, b.Loader)
		if err != nil {
			return out, end, err
		}
		req.PDF = &cfg
	}
	if b.cfg.reads(kind) {
		req.OCR, req.Timeout = b.cfg.OCR, req.Timeout+b.cfg.OCR.Total
	}
	c, err := b.take(req.PDF != nil)
	if err != nil {
		return out, end, fault(Crashed, name, err)
	}
	c.files++
	err = ask(ctx, c.Child, req, name, data, b.answerLimit(), func(dec *json.Decoder) (err error) {
		out.chunks, end, err = b.readAnswer(dec)
		return err
	})
	if err != nil {
		return out, end, err // the child is dead
	}
	if req.PDF == nil && (end.Code == "" || end.Code.harmless()) {
		b.put(c)
	} else {
		c.Close()
	}
	return out, end, nil
}

// answerLimit returns the size limit of an answer in bytes: passages overlap and repeat their headings, and JSON may
// use six bytes for one.
func (b *batch) answerLimit() int { return 8*b.cfg.MaxText + 1<<20 }

// harmless reports whether a child that returned this code may read another file.
func (c Code) harmless() bool {
	switch c {
	case Unsupported, Encoding, Encrypted, Rights, Pointer, WebPage, NoText, Blank, BlankPage, Nested, BadLine:
		return true
	}
	return false
}

// readAnswer reads the frames of an answer. The child's output is untrusted.
func (b *batch) readAnswer(dec *json.Decoder) (chunks []rag.Chunk, end reply, err error) {
	var path []string
	left := 2*b.cfg.MaxText + 1<<20
	for {
		var f frame
		if err := dec.Decode(&f); err != nil {
			return nil, reply{}, err
		}
		switch {
		case f.End != nil:
			return chunks, *f.End, nil
		case f.Passage == nil || len(chunks) == b.cfg.MaxPassages || len(f.Passage.Heading) > maxDepth:
			return nil, reply{}, errors.New("invalid passage from the child")
		}
		p := f.Passage
		if left -= len(p.Text); left < 0 {
			return nil, reply{}, confine.ErrOutput
		}
		if !p.Same {
			path = p.Heading
			for i := range path {
				path[i] = clip(path[i])
			}
		}
		chunks = append(chunks, rag.Chunk{Ordinal: len(chunks), Heading: path, Page: max(p.Page, 0), Start: max(p.Start, 0), End: max(p.End, 0), Text: p.Text})
	}
}

// maxDepth limits the headings above a passage.
const maxDepth = 64

// judge converts the end of an answer to a result or an error.
func (b *batch) judge(name string, out result, end reply) (result, error) {
	if end.Cache != "" {
		return result{}, fault(Crashed, name, errors.New("the PDF engine's cache is damaged again"))
	}
	if end.Code == "" {
		out.Title, out.Unread, out.Passages = end.Result.Title, end.Result.Unread, max(end.Result.Passages, len(out.chunks))
		return out, nil
	}
	if !end.Code.known() {
		return result{}, fault(Crashed, name, errors.New("unknown error code from the child"))
	}
	var detail error
	if end.Detail != "" {
		detail = errors.New(end.Detail)
	}
	return result{}, fault(end.Code, name, detail)
}

// ask sends a request to a child and calls read for its answer. After an error the child is dead.
func ask(ctx context.Context, c *confine.Child, req request, name string, data []byte, limit int, read func(*json.Decoder) error) error {
	head, err := json.Marshal(req)
	if err != nil {
		return fault(Crashed, name, err)
	}
	in := io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(data))
	err = c.Ask(ctx, in, limit, req.Timeout, func(r io.Reader) error { return read(json.NewDecoder(r)) })
	var died *confine.Death
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, confine.ErrOutput):
		return fault(TooComplex, name, errTextLimit)
	case errors.Is(err, context.DeadlineExceeded):
		return fault(Timeout, name, err)
	case errors.As(err, &died):
		return crash(name, died)
	}
	return fault(Crashed, name, fmt.Errorf("read the child's reply: %w", err))
}

// crash distinguishes exhausted memory or CPU time from a parser's crash.
func crash(name string, died *confine.Death) error {
	switch {
	case died.OutOfMemory():
		return fault(TooComplex, name, died)
	case died.Killed():
		return fault(Timeout, name, died)
	}
	return fault(Crashed, name, died)
}
