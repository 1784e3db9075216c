package load_test

import (
	"archive/zip"
	"bytes"
	"testing"
)

// TestAPDFsMarkInAnotherFile: the mark of a PDF counts in its first kilobyte, unless the
// file is what its name says.
func TestAPDFsMarkInAnotherFile(t *testing.T) {
	t.Parallel()
	page := pdfOf([]string{"BT /F1 12 Tf 72 700 Td (Ferry at seven) Tj ET"})
	var stored bytes.Buffer // as phones and Python pack: the PDF lies open near the beginning
	w := zip.NewWriter(&stored)
	f, err := w.CreateHeader(&zip.FileHeader{Name: "ferry.pdf", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(page); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		mime string
	}{
		"files.zip":   {stored.Bytes(), "application/zip"},
		"formats.md":  {[]byte("# Formats\n\nA PDF begins with %PDF-1.7.\n"), "text/markdown"},
		"formats.htm": {[]byte("<p>A PDF begins with %PDF-1.7.</p>"), "text/html"},
		"late.pdf":    {append([]byte("\r\n-- from the scanner --\r\n"), page...), "application/pdf"},
		"late":        {append([]byte("\r\n-- from the scanner --\r\n"), page...), "application/pdf"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if doc, chunks := mustLoad(t, name, c.data); doc.MIME != c.mime || len(chunks) == 0 {
				t.Errorf("%s with %d passages, want %s", doc.MIME, len(chunks), c.mime)
			}
		})
	}
}
