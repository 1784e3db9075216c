package pdf

import (
	"errors"
	"image"

	fault "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"

	"maru/rag/load/ocr"
)

// Rendering of pages for text recognition.
const (
	scanDPI   = 200
	scanSide  = 4000 // pixels, of a page of any size
	pointInch = 72
)

// Gray renders a page, counted from 0, as a portable graymap for text recognition; nil if nothing is on it.
func (d *Document) Gray(index int) ([]byte, error) {
	res, err := d.in.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: d.ref, Index: index})
	if errors.Is(err, fault.ErrPage) {
		return nil, ErrPage
	}
	if err != nil {
		return nil, d.fault("load", err)
	}
	out, err := d.gray(res.Page)
	if _, closing := d.in.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: res.Page}); err == nil {
		err = closing
	}
	return out, d.fault("render", err)
}

func (d *Document) gray(page references.FPDF_PAGE) ([]byte, error) {
	ref := requests.Page{ByReference: &page}
	objects, err := d.in.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: ref})
	if err != nil || objects.Count == 0 {
		return nil, err
	}
	size, err := d.in.GetPageSize(&requests.GetPageSize{Page: ref})
	if err != nil || size.Width <= 0 || size.Height <= 0 {
		return nil, err
	}
	dpi := min(scanDPI, int(scanSide*pointInch/max(size.Width, size.Height)))
	if dpi < 1 {
		return nil, nil // a page of kilometres
	}
	res, err := d.in.RenderPageInDPI(&requests.RenderPageInDPI{Page: ref, DPI: dpi, ImageFormat: requests.RenderImageFormatGrayscale})
	if err != nil {
		return nil, err
	}
	defer res.Cleanup()
	img, ok := res.Result.RenderedImage.(*image.Gray)
	if !ok {
		return nil, errors.New("PDFium rendered no grey picture")
	}
	return ocr.Gray(img.Pix, img.Rect.Dx(), img.Rect.Dy(), img.Stride), nil
}
