package load

import (
	"context"
	"errors"
	"fmt"

	"maru/phrase/fit"
	"maru/rag/load/pdfium"
)

// pdfReader is PDFium as the child has it, and what is to be said about it. The
// methods of a nil one do nothing.
type pdfReader struct {
	engine *pdfium.Engine // nil: it cannot be had
	notes  []string
}

// maxSaid is how much is said of one file, which may be an archive of a thousand.
const maxSaid = 5

func openPDFium(cfg pdfium.Config) *pdfReader {
	p := &pdfReader{}
	var err error
	if p.engine, err = pdfium.Open(context.Background(), cfg); err != nil {
		p.say(fmt.Errorf("%s: %w", cfg.Module, err))
	}
	return p
}

func (p *pdfReader) works() bool { return p != nil && p.engine != nil }

func (p *pdfReader) close() {
	if p.works() {
		if err := p.engine.Close(context.Background()); err != nil {
			p.say(err)
		}
	}
}

func (p *pdfReader) say(err error) {
	if len(p.notes) < maxSaid {
		p.notes = append(p.notes, fmt.Sprintf("%.300v", err))
	}
}

func (p *pdfReader) said() []string {
	if p == nil {
		return nil
	}
	return p.notes
}

// read reads a document. An [*Error] is the document's, another error PDFium's.
func (p *pdfReader) read(data []byte, lim limits, out *sink) (err error) {
	ctx := context.Background() // the process has a time, and ends with it
	doc, err := p.engine.Document(ctx, data)
	if errors.Is(err, pdfium.ErrPassword) {
		return fault(Encrypted, "", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, doc.Close(ctx)) }()
	n, err := doc.Pages(ctx)
	switch {
	case err != nil:
		return err
	case n <= 0:
		return errors.New("no pages")
	case n > lim.Pages:
		return fault(TooComplex, "", fmt.Errorf("%w: %d", errPageLimit, n))
	}
	out.Title = fit.OneLine(doc.Title(ctx))
	var first error
	for i := range n {
		runs, err := doc.Page(ctx, i, out.left)
		switch {
		case errors.Is(err, pdfium.ErrText):
			return fault(TooComplex, "", errTextLimit)
		case errors.Is(err, pdfium.ErrPage):
			if first == nil {
				first = fmt.Errorf("page %d: %w", i+1, err)
			}
			continue
		case err != nil:
			return fmt.Errorf("page %d: %w", i+1, err)
		}
		for _, text := range paragraphs(layout(placed(runs))) {
			if err := out.add(block{Kind: para, Page: i + 1, Text: text}); err != nil {
				return err
			}
		}
	}
	if len(out.Blocks) == 0 {
		return first // a page that fails among others that read is forgiven
	}
	return nil
}

// placed are PDFium's runs as the own extractor has its glyphs, so that both have the same idea of a line.
func placed(runs []pdfium.Run) []glyphs {
	out := make([]glyphs, 0, len(runs))
	for _, r := range runs {
		if text := printed(r.Text); text != "" {
			out = append(out, glyphs{x: r.X, y: r.Y, end: r.End, size: r.Size, text: text})
		}
	}
	return out
}
