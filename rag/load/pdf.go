package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"maru/phrase/fit"
	"maru/rag/load/ocr"
	"maru/rag/load/pdf"
)

// pdfReader is the PDF engine, started on first use or earlier.
type pdfReader struct {
	start  func() (*pdf.Engine, error)
	engine *pdf.Engine // nil: not started
	err    error       // result of the start
}

func newPDFReader(ctx context.Context, cfg pdf.Config) *pdfReader {
	return &pdfReader{start: func() (*pdf.Engine, error) { return pdf.Open(ctx, cfg) }}
}

// open starts the engine once. A nil reader has none.
func (r *pdfReader) open() error {
	if r == nil {
		return errors.New("no PDF engine for this file")
	}
	if r.engine == nil && r.err == nil {
		r.engine, r.err = r.start()
	}
	return r.err
}

// close releases the engine and ignores errors.
func (r *pdfReader) close() {
	if r != nil && r.engine != nil {
		_ = r.engine.Close()
	}
}

// parsePDF reads the paragraphs of every page.
func parsePDF(data []byte, lim limits, out *sink) (err error) {
	if err := lim.pdf.open(); err != nil {
		return pdfFault(err)
	}
	doc, err := lim.pdf.engine.Document(data)
	if err != nil {
		return pdfFault(err)
	}
	defer func() { _ = doc.Close() }() // each document has its own instance
	n, err := doc.Pages()
	switch {
	case err != nil:
		return pdfFault(err)
	case n <= 0:
		return fault(Broken, "", errors.New("no pages"))
	case n > lim.Pages:
		return fault(TooComplex, "", fmt.Errorf("%w: %d", errPageLimit, n))
	}
	out.Title = fit.OneLine(doc.Title())
	var first error
	for i := range n {
		texts, err := doc.Page(i, out.left)
		if err == nil && len(texts) == 0 {
			texts, err = scanned(doc, i, lim, out)
		}
		if err != nil {
			err = fmt.Errorf("page %d: %w", i+1, err)
		}
		if errors.Is(err, pdf.ErrPage) {
			first = cmp.Or(first, err)
			continue
		}
		if err != nil {
			return pdfFault(err)
		}
		for _, text := range texts {
			if err := out.add(block{Kind: para, Page: i + 1, Text: text}); err != nil {
				return err
			}
		}
	}
	if len(out.Blocks) == 0 && first != nil {
		return fault(Broken, "", first) // a failed page among readable ones is skipped
	}
	return nil
}

// scanned returns the recognised text of a page without text. It records pages that cannot be read.
func scanned(doc *pdf.Document, page int, lim limits, out *sink) ([]string, error) {
	if lim.ocr == nil {
		return nil, nil
	}
	gray, err := doc.Gray(page)
	if err != nil || gray == nil {
		return nil, err
	}
	texts, err := lim.ocr.Paragraphs(gray)
	if err != nil {
		code := Illegible
		if errors.Is(err, ocr.ErrSpent) {
			code = Scans
		}
		if len(out.Unread) == 0 || out.Unread[len(out.Unread)-1].Code != Scans {
			out.Unread = append(out.Unread, unread{Name: fmt.Sprintf(":%d", page+1), Code: code})
		}
	}
	return texts, nil
}

// parsePicture recognises the text of a picture.
func parsePicture(data []byte, lim limits, out *sink) error {
	texts, err := lim.ocr.Paragraphs(data)
	switch {
	case errors.Is(err, ocr.ErrHuge):
		return fault(TooComplex, "", err)
	case err != nil:
		return fault(Broken, "", err)
	}
	for _, text := range texts {
		if err := out.add(block{Kind: para, Text: text}); err != nil {
			return err
		}
	}
	return nil
}

// reads reports whether files of a format are subject to text recognition.
func (c Config) reads(kind format) bool { return c.OCR != nil && (kind == pdfFile || kind == picture) }

// pdfFault maps an engine's error to a code.
func pdfFault(err error) *Error {
	code := Crashed
	switch {
	case errors.Is(err, pdf.ErrPassword):
		code = Encrypted
	case errors.Is(err, pdf.ErrFormat):
		code = Broken
	case errors.Is(err, pdf.ErrText):
		code, err = TooComplex, errTextLimit
	case errors.Is(err, pdf.ErrMemory), errors.Is(err, pdf.ErrNested):
		code = TooComplex
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		code = Timeout
	}
	return fault(code, "", err)
}

// TryPDF reads a one-line PDF like any other, which also fills the engine's cache.
func (l *Loader) TryPDF(ctx context.Context) error {
	_, chunks, err := l.Load(ctx, "probe.pdf", []byte(pdf.Probe))
	if err == nil && (len(chunks) != 1 || chunks[0].Text != "hello world") {
		err = errors.New("the test PDF was read incorrectly")
	}
	return err
}
