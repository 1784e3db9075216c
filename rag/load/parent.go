package load

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"maru/rag/load/confine"
)

// parseInChild parses the file in a child process.
func (l *Loader) parseInChild(ctx context.Context, kind format, name string, data []byte) (parsed, error) {
	req := request{Format: kind, Limits: l.cfg.limits(), Memory: l.cfg.Memory, Timeout: l.cfg.Timeout}
	if kind == pdfFile || kind == archive && namesPDF(data) {
		cfg, err := l.pdf.config(ctx, l)
		if err != nil {
			return parsed{}, err
		}
		req.PDF = &cfg
	}
	out, err := l.runChild(ctx, req, name, data)
	if err != nil {
		return parsed{}, err
	}
	return l.readReply(name, out)
}

// runChild runs a child and returns its output.
func (l *Loader) runChild(ctx context.Context, req request, name string, data []byte) ([]byte, error) {
	head, err := json.Marshal(req)
	if err != nil {
		return nil, fault(Crashed, name, err)
	}
	in := io.MultiReader(bytes.NewReader(append(head, '\n')), bytes.NewReader(data))
	// JSON-encoded text is rarely twice as long as the text, never more than six times.
	out, err := confine.Run(ctx, l.cfg.Command, in, 6*l.cfg.MaxText+1<<20, req.Timeout)
	var died *confine.Death
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, confine.ErrOutput):
		return nil, fault(TooComplex, name, errTextLimit)
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fault(Timeout, name, err)
	case errors.As(err, &died):
		return nil, crash(name, died)
	}
	return nil, fault(Crashed, name, err)
}

// namesPDF reports whether an archive may contain a PDF: file names are not compressed. Only the child parses the
// directory itself.
func namesPDF(data []byte) bool {
	for rest := data; ; {
		i := bytes.IndexByte(rest, '.')
		if i < 0 || len(rest) < i+4 {
			return false
		}
		if bytes.EqualFold(rest[i:i+4], []byte(".pdf")) {
			return true
		}
		rest = rest[i+1:]
	}
}

func (l *Loader) readReply(name string, out []byte) (parsed, error) {
	var rep reply
	if err := json.Unmarshal(out, &rep); err != nil {
		return parsed{}, fault(Crashed, name, fmt.Errorf("read the child's reply: %w", err))
	}
	if rep.Cache != "" {
		l.pdf.damaged()
		l.cfg.Log.Warn("The compiled PDF reader was not used; it is compiled again before the next PDF", "err", fmt.Sprintf("%.300q", rep.Cache)) // the child's output is untrusted
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

// crash tells exhausted memory or CPU time from a parser's fault.
func crash(name string, died *confine.Death) error {
	switch {
	case died.OutOfMemory():
		return fault(TooComplex, name, died)
	case died.Killed():
		return fault(Timeout, name, died)
	}
	return fault(Crashed, name, died)
}
