package load_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"maru/logtest"
	"maru/rag/load"
	"maru/rag/load/confine"
	"maru/rag/load/loadtest"
	"maru/rag/load/pdf"
)

// TestPDFCache: the first document finds the engine compiled, whoever reads it; without a
// cache, or with one that cannot be written, it is compiled in the child's own bounds.
func TestPDFCache(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it compiles PDFium, which takes half a minute under the race detector")
	}
	data := pdfOf([]string{"Annual leave is fifteen days."})
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	long := os.Getenv("MARU_TEST_LONG") != ""
	for name, c := range map[string]struct {
		cache, said string
		each        bool // PDFium is compiled for each document
	}{
		"none":               {"", "", true},
		"damaged":            {filepath.Join(t.TempDir(), "cache"), "", false},
		"cannot be written":  {filepath.Join(blocked, "cache"), "compiling for every PDF", true},
		"made by other runs": {loadtest.PDFCache(), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			documents := 2
			switch {
			case long || !c.each:
			case c.cache == "":
				t.Skip("to the child the same as a cache that cannot be written; in make long")
			default:
				documents = 1 // each takes 8 s
			}
			// Compiling takes 8 s: once, after the damage. A cache that is missing is filled by the same code, but the first
			// document on one is read in make long only, and by whichever test meets no shared cache.
			if name == "damaged" && !long {
				if err := pdf.Fill(t.Context(), pdf.Config{Cache: loadtest.PDFCache()}); err != nil {
					t.Fatal(err)
				}
				made, err := filepath.Glob(filepath.Join(loadtest.PDFCache(), "pdfium*")) // without folders that others are filling
				for _, dir := range made {
					err = errors.Join(err, os.CopyFS(filepath.Join(c.cache, filepath.Base(dir)), os.DirFS(dir)))
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			var log logtest.Log
			command, held := watched(t)
			l := load.New(load.Config{Command: command, Timeout: patient, PDF: pdf.Config{Cache: c.cache}, Log: log.Logger()})
			for range documents {
				if _, chunks, err := l.Load(t.Context(), "rules.pdf", data); err != nil || show(chunks) != "[rules, p. 1] Annual leave is fifteen days." {
					t.Fatalf("%s, %v", show(chunks), err)
				}
			}
			if said := log.String(); !strings.Contains(said, c.said) || strings.Count(said, "level=WARN") > 1 || (said == "") != (c.said == "") {
				t.Errorf("the log says %q, want %q", said, c.said)
			}
			if name == "damaged" {
				damaged(t, l, &log, c.cache, data)
			}
			most, children := held.largest(t)
			t.Logf("largest of %d children %d MiB", children, most>>10)
			if most>>10 > 512 && !confine.RaceDetector {
				t.Error("more than 512 MiB")
			}
		})
	}
}

// damaged changes the cache of a loader: it is made again before the next document is read, which is told.
func damaged(t *testing.T, l *load.Loader, log *logtest.Log, cache string, data []byte) {
	t.Helper()
	code, err := filepath.Glob(filepath.Join(cache, "*", "*", "*"))
	if err != nil || len(code) == 0 {
		t.Fatalf("the cache has %v, %v", code, err)
	}
	for _, of := range code { // a copy may have those of other builds too
		if err := os.Truncate(of, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := l.Load(t.Context(), "rules.pdf", data); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(code, func(of string) bool { info, err := os.Stat(of); return err == nil && info.Size() > 1<<20 }) {
		t.Errorf("none of %v was made again", code)
	}
	if _, _, err := l.Load(t.Context(), "rules.pdf", data); err != nil {
		t.Fatal(err)
	}
	if said := log.String(); strings.Count(said, "level=WARN") != 1 || !strings.Contains(said, "damaged") {
		t.Errorf("the log says %q", said)
	}
}

// TestTryPDF is what the doctor asks.
func TestTryPDF(t *testing.T) {
	t.Parallel()
	if err := newLoader().TryPDF(t.Context()); err != nil {
		t.Error(err)
	}
	if err := pdfLoader(load.Config{MaxPages: 1, Memory: 1 << 20}).TryPDF(t.Context()); err == nil && !confine.RaceDetector {
		t.Error("PDFium starts in 1 MiB")
	}
}
