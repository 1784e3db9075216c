package pdf

import (
	"context"
	"errors"
	"fmt"

	"github.com/klippa-app/go-pdfium"
	fault "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// Faults of a document rather than of the module.
var (
	// ErrPassword reports a document that needs a password.
	ErrPassword = errors.New("the document needs a password")
	// ErrFormat reports a file that PDFium cannot read as a PDF.
	ErrFormat = errors.New("the document is broken")
	// ErrText reports a page with more text than the limit.
	ErrText = errors.New("more text than the limit")
	// ErrMemory reports that the document exceeds the module's memory.
	ErrMemory = errors.New("more memory than the limit")
	// ErrPage reports one unreadable page; others may be readable.
	ErrPage = errors.New("PDFium cannot read the page")
)

// Document is an open document. After an error other than [ErrPage] and [ErrText] it is unusable.
type Document struct {
	in     pdfium.Pdfium
	memory *arena
	ref    references.FPDF_DOCUMENT
	form   *references.FPDF_FORMHANDLE // nil: the document has no form
}

// Document opens a document that needs no password.
func (e *Engine) Document(data []byte) (*Document, error) {
	if nested(data) {
		return nil, ErrNested
	}
	in := e.first
	e.first = nil
	if in == nil {
		var err error
		if in, err = e.pool.GetInstanceWithContext(context.Background()); err != nil {
			return nil, fmt.Errorf("start PDFium: %w", err)
		}
	}
	d := &Document{in: in, memory: e.memory}
	res, err := in.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		return nil, errors.Join(d.fault("open", err), in.Close())
	}
	d.ref = res.Document
	if err := d.openForm(); err != nil {
		return nil, errors.Join(d.fault("open the form", err), d.Close())
	}
	return d, nil
}

// fault tells a fault of the document from one of the module.
func (d *Document) fault(what string, err error) error {
	switch {
	case err == nil:
		return nil
	case d.memory.full:
		return fmt.Errorf("%s: %w: %w", what, ErrMemory, err)
	case errors.Is(err, fault.ErrPassword), errors.Is(err, fault.ErrSecurity):
		return fmt.Errorf("%w: %w", ErrPassword, err)
	case errors.Is(err, fault.ErrFormat), errors.Is(err, fault.ErrFile), errors.Is(err, fault.ErrUnknown), errors.Is(err, fault.ErrSuccess):
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// Close frees the document and its objects in the module.
func (d *Document) Close() error { return d.in.Close() }

// Pages returns the document's declared number of pages.
func (d *Document) Pages() (int, error) {
	res, err := d.in.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: d.ref})
	if err != nil {
		return 0, d.fault("count the pages", err)
	}
	return res.PageCount, nil
}

// Title returns the title of the document's metadata; "" if it has none.
func (d *Document) Title() string {
	res, err := d.in.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: d.ref, Tag: "Title"})
	if err != nil {
		return ""
	}
	return res.Value
}

// Page returns the paragraphs of a page, counted from 0, in display order: at most limit bytes.
func (d *Document) Page(index, limit int) ([]string, error) {
	res, err := d.in.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.ref, Index: index})
	if errors.Is(err, fault.ErrPage) {
		return nil, ErrPage
	}
	if err != nil {
		return nil, d.fault("load", err)
	}
	runs, err := d.runs(res.Page, limit)
	if _, closing := d.in.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: res.Page}); err == nil {
		err = closing
	}
	if err != nil {
		return nil, d.fault("read", err)
	}
	return paragraphs(layout(runs)), nil
}

// runs returns the text of a page and the values of its form.
func (d *Document) runs(page references.FPDF_PAGE, limit int) ([]run, error) {
	fields, err := d.fields(page)
	if err != nil {
		return nil, err
	}
	text, err := d.in.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: requests.Page{ByReference: &page}})
	if err != nil {
		return nil, err
	}
	r := &reader{in: d.in, text: text.TextPage, left: limit, single: len(fields) > 0}
	err = r.read()
	if _, closing := d.in.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text.TextPage}); err == nil {
		err = closing
	}
	if err != nil {
		return nil, err
	}
	for _, f := range fields {
		if r.left -= len(f.value) + len(f.name); r.left < 0 {
			return nil, ErrText
		}
	}
	return insertFields(inOrder(r.runs), fields), nil
}
