package pdf

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/klippa-app/go-pdfium/requests"

	"maru/rag/load/loadtest"
)

// TestNoFileCanBeReached: PDFium can open files by their path, and finds none.
func TestNoFileCanBeReached(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "probe.pdf")
	data, err := os.ReadFile(filepath.Join("..", "testdata", "reportlab-rc4-40.pdf"))
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err == nil {
		err = Fill(t.Context(), Config{Cache: loadtest.PDFCache()})
	}
	if err != nil {
		t.Fatal(err)
	}
	e, err := Open(t.Context(), Config{Cache: loadtest.PDFCache()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	in := e.first
	for _, name := range []string{path, "/etc/passwd", "/etc/hostname", "/proc/self/status", "/"} {
		if _, err := in.OpenDocument(&requests.OpenDocument{FilePath: &name}); err == nil || err.Error() != "2: unable to read file" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := in.OpenDocument(&requests.OpenDocument{File: &data}); err != nil {
		t.Errorf("the same document as bytes: %v", err)
	}
}
