package load

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/ledongthuc/pdf"

	"maru/phrase/fit"
)

// parsePDF reads a PDF with PDFium where that is to be had, and with the
// extractor of this package where it is not or fails: not where it says that the
// document is locked or over a limit.
func parsePDF(data []byte, lim limits, out *sink) error {
	if i := bytes.Index(data[:min(len(data), 1024)], []byte("%PDF-")); i > 0 {
		data = data[i:] // bytes before the mark shift every offset
	}
	if lim.pdfium.works() {
		before := *out
		err := lim.pdfium.read(data, lim, out)
		if e := new(Error); err == nil || errors.As(err, &e) {
			return err
		}
		*out = before
		lim.pdfium.say(err)
	}
	return extractPDF(data, lim, out)
}

// extractPDF reads the text of every page by position. The reader underneath
// panics on many broken files.
func extractPDF(data []byte, lim limits, out *sink) (err error) {
	defer func() {
		p := recover()
		if e, ok := p.(*Error); ok { // a limit, met in the middle of a page
			err = e
		} else if p != nil {
			err = fault(Broken, "", fmt.Errorf("parser panic: %.200v", p))
		}
	}()
	r, err := openPDF(data)
	if err != nil {
		return err
	}
	n := r.NumPage()
	if n <= 0 {
		return fault(Broken, "", errors.New("no pages"))
	}
	if n > lim.Pages {
		return fault(TooComplex, "", fmt.Errorf("%w: %d", errPageLimit, n))
	}
	out.Title = fit.OneLine(r.Trailer().Key("Info").Key("Title").Text())
	var firstErr error
	for i := 1; i <= n; i++ {
		text, err := pageText(r.Page(i), lim.Text)
		if err != nil && firstErr == nil {
			firstErr = fmt.Errorf("page %d: %w", i, err)
		}
		for _, p := range paragraphs(text) {
			if err := out.add(block{Kind: para, Page: i, Text: p}); err != nil {
				return err
			}
		}
	}
	if len(out.Blocks) == 0 && firstErr != nil {
		return fault(Broken, "", firstErr) // a page that fails among others that read is forgiven
	}
	return nil
}

// openPDF opens a PDF that needs no password.
func openPDF(data []byte) (*pdf.Reader, error) {
	if open := unlocked(data); open != nil {
		data = open
	}
	data = acceptable(data)
	r, err := pdf.NewReader(bytes.NewReader(data), int64(len(data)))
	switch {
	case err == nil:
		return r, nil
	case errors.Is(err, pdf.ErrInvalidPassword), bytes.Contains(data, []byte("/Encrypt")) && strings.Contains(err.Error(), "encrypt"):
		return nil, fault(Encrypted, "", err)
	default:
		return nil, fault(Broken, "", err)
	}
}

// acceptable returns the file as the reader underneath wants it: the first line
// in its narrow form (it refuses PDF 2.0 and a blank after the version) and
// nothing after the last end mark, where many programs append bytes.
func acceptable(data []byte) []byte {
	const first, last = "%PDF-1.7\n", "%%EOF"
	if i := bytes.LastIndex(data, []byte(last)); i >= 0 {
		data = data[:i+len(last)]
	}
	if len(data) < len(first) {
		return data
	}
	return append([]byte(first), data[len(first):]...)
}
