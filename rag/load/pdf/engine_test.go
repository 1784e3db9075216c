package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/datatest"
	"maru/rag/load/loadtest"
	"maru/rag/load/pdf"
)

// filled is the cache that the tests share, with the compiled module.
var filled = sync.OnceValues(func() (string, error) {
	dir := loadtest.PDFCache()
	return dir, pdf.Fill(context.Background(), pdf.Config{Cache: dir})
})

// open opens an engine from the shared cache, until the test ends.
func open(t *testing.T, ctx context.Context, memory int) *pdf.Engine {
	t.Helper()
	cache, err := filled()
	if err != nil {
		t.Fatal(err)
	}
	e, err := pdf.Open(ctx, pdf.Config{Cache: cache, Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// file returns a PDF of these objects, the first of them its catalog. It has no table of its
// objects: PDFium finds them.
func file(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	for i, o := range objects {
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	b.WriteString("trailer<</Root 1 0 R>>\n%%EOF\n")
	return b.Bytes()
}

func stream(content string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(content), content)
}

// page returns a PDF of one page with these marks on it.
func page(content string) []byte {
	return file("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		stream(content), "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
}

const hello = "BT /F1 12 Tf 50 700 Td (hello world) Tj ET"

// read returns the text of a document's first page, a line for each paragraph.
func read(t *testing.T, data []byte) string {
	t.Helper()
	d, err := open(t, t.Context(), 0).Document(data)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := d.Page(0, 1<<20)
	if err := errors.Join(err, d.Close()); err != nil {
		t.Fatal(err)
	}
	return strings.Join(texts, "\n")
}

// TestMemoryIsBounded: a document that does not fit is an error, and the next one is read.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	e := open(t, t.Context(), 32<<20)
	for range 2 {
		if _, err := e.Document(make([]byte, 40<<20)); !errors.Is(err, pdf.ErrMemory) {
			t.Errorf("40 MiB in 32: %v", err)
		}
		d, err := e.Document(page(hello))
		if err != nil {
			t.Fatal(err)
		}
		if texts, err := d.Page(0, 100); err != nil || len(texts) != 1 || texts[0] != "hello world" {
			t.Errorf("got %q, %v", texts, err)
		}
		if _, err := d.Page(0, 5); !errors.Is(err, pdf.ErrText) {
			t.Errorf("11 bytes where 5 may be: %v", err)
		}
		if _, err := d.Page(7, 100); !errors.Is(err, pdf.ErrPage) {
			t.Errorf("a page that is not there: %v", err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestContextEndsAPage: who no longer waits for a page does not pay for it.
func TestContextEndsAPage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a page that takes seconds takes a minute under the race detector")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d, err := open(t, ctx, 0).Document(page("BT /F1 12 Tf 50 700 Td " + strings.Repeat("(word ) Tj ", 300_000) + "ET"))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := d.Page(0, 1<<30); !errors.Is(err, context.Canceled) {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it went on for %s", took)
	}
	if _, err := d.Page(0, 1<<30); err == nil {
		t.Error("the engine works on after its end")
	}
}

// TestTornDocuments: damage anywhere is an error or another text, never more.
func TestTornDocuments(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "reportlab-rc4-40.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	e := open(t, t.Context(), 0)
	step := 4
	switch {
	case datatest.Short(t):
		step = 64
	case os.Getenv("MARU_TEST_LONG") != "":
		step = 1
	}
	for i := 0; i < len(data); i += step {
		torn := bytes.Clone(data)
		torn[i] ^= 0x55
		d, err := e.Document(torn)
		switch {
		case errors.Is(err, pdf.ErrFormat), errors.Is(err, pdf.ErrPassword):
			continue
		case err != nil:
			t.Fatalf("byte %d: %v", i, err)
		}
		if _, err := d.Page(0, 1<<20); err != nil && !errors.Is(err, pdf.ErrPage) {
			t.Fatalf("byte %d: %v", i, err)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
