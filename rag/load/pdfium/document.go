package pdfium

import (
	"context"
	"errors"
	"fmt"
)

// Faults that are the document's and not the module's.
var (
	// ErrPassword: the document opens with a password only.
	ErrPassword = errors.New("the document needs a password")
	// ErrText: a page has more text than was asked for.
	ErrText = errors.New("more text than the limit")
)

// PDFium's word for a document that a password locks (FPDF_ERR_PASSWORD of fpdfview.h).
const codePassword = 4

// Document is an open document. An error other than [ErrPage] means that nothing more can be had from it.
type Document struct {
	in      *instance
	doc     uint64
	scratch uint32 // for what PDFium writes to addresses
}

// scratchSize is room for pieceSize letters, each of two units of two bytes at most, and a zero.
const scratchSize = 4*pieceSize + 2

// Document opens a document that needs no password.
func (e *Engine) Document(ctx context.Context, data []byte) (_ *Document, err error) {
	in := e.first
	e.first = nil
	if in == nil {
		if in, err = e.start(ctx); err != nil {
			return nil, fmt.Errorf("start: %w", err)
		}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, in.close(ctx))
		}
	}()
	d := &Document{in: in, scratch: in.alloc(ctx, scratchSize)}
	at := in.alloc(ctx, len(data))
	if in.err == nil && !in.mod.Memory().Write(at, data) {
		return nil, errors.New("an address outside of the memory")
	}
	d.doc = in.call(ctx, "FPDF_LoadMemDocument", uint64(at), uint64(len(data)), 0)
	if in.err == nil && d.doc == 0 {
		code := in.call(ctx, "FPDF_GetLastError")
		if in.err == nil && code == codePassword {
			return nil, ErrPassword
		}
		return nil, fmt.Errorf("the document cannot be opened: fault %d", code)
	}
	return d, in.err
}

// Close frees the document with everything that it made the module do.
func (d *Document) Close(ctx context.Context) error { return d.in.close(ctx) }

// Pages is how many pages the document says it has.
func (d *Document) Pages(ctx context.Context) (int, error) {
	return int(int32(d.in.call(ctx, "FPDF_GetPageCount", d.doc))), d.in.err
}

// Title is the title of the document's own description; "" if it has none.
func (d *Document) Title(ctx context.Context) string {
	tag := append([]byte("Title"), 0)
	if !d.in.mod.Memory().Write(d.scratch, tag) {
		return ""
	}
	at := d.scratch + uint32(len(tag)) + 2
	room := scratchSize - len(tag) - 2
	n := int(d.in.call(ctx, "FPDF_GetMetaText", d.doc, uint64(d.scratch), uint64(at), uint64(room)))
	if d.in.err != nil || n < 2 || n > room {
		return ""
	}
	b, ok := d.in.mod.Memory().Read(at, uint32(n-2)) // without the zero at its end
	if !ok {
		return ""
	}
	return string(utf16LE(b))
}
