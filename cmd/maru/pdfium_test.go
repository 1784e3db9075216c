package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/config"
	"maru/logtest"
	"maru/rag/load/loadtest"
)

// TestPDFiumIsTried: what MARU_PDFIUM names is tried by the doctor, and the start says
// that it reads PDFs or why it does not. Nothing is compiled at the start.
func TestPDFiumIsTried(t *testing.T) {
	t.Parallel()
	unraced(t)
	good := loadtest.PDFium(nil)
	for name, c := range map[string]struct {
		data          []byte
		doctor, start string
	}{
		"good":      {good, "✓ pdfium       reads PDFs; SHA-256 ", "PDFium reads PDFs"},
		"cut off":   {good[:len(good)-9], "cut off", "cut off"},
		"a page":    {[]byte("<html>"), "not a WebAssembly module", "not a WebAssembly module"},
		"not there": {nil, "no such file", "no such file"},
		"another":   {[]byte("\x00asm\x01\x00\x00\x00\x01\x01\x00"), "not a module of PDFium", "PDFium reads PDFs"}, // seen when it is compiled
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			module := filepath.Join(dir, "pdfium.wasm")
			if c.data != nil {
				if err := os.WriteFile(module, c.data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var log logtest.Log
			var cfg config.Config
			cfg.Documents.PDFium, cfg.Store.DataDir = module, filepath.Join(dir, "data")
			if _, err := newLoader(&cfg, log.Logger()); err != nil {
				t.Fatal(err)
			}
			if got := log.String(); !strings.Contains(got, c.start) || strings.Contains(got, "level=WARN") == (c.start == "PDFium reads PDFs") {
				t.Errorf("the start says %q, want %q", got, c.start)
			}
			if _, err := os.Stat(cfg.Store.DataDir); !os.IsNotExist(err) {
				t.Errorf("the start compiled: %v", err)
			}
			code, out, _ := runHere(t, "", []string{"DATA_DIR=" + filepath.Join(dir, "data"), "MARU_PDFIUM=" + module}, "doctor")
			if !strings.Contains(out, c.doctor) || (code != 0) != strings.Contains(out, "✗ pdfium") || (code == 0) != (name == "good") {
				t.Errorf("exit %d: %s", code, out)
			}
		})
	}
}

// TestChatsDoctorTellsOfPDFium: what maru doctor says of it stands in the chat's table too.
func TestChatsDoctorTellsOfPDFium(t *testing.T) {
	t.Parallel()
	unraced(t)
	dir := t.TempDir()
	good, page := filepath.Join(dir, "pdfium.wasm"), filepath.Join(dir, "page.wasm")
	if err := errors.Join(os.WriteFile(good, loadtest.PDFium(nil), 0o600), os.WriteFile(page, []byte("<html>"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for module, want := range map[string]string{"": "PDF reader (PDFium)** not set up", good: "PDF reader (PDFium)** fine", page: "PDF reader (PDFium)** works in part"} {
		p := newProgram(t, "LANG=C.UTF-8", "MARU_PDFIUM="+module)
		if got := p.talk("main", "/doctor"); !strings.Contains(strings.Join(strings.Fields(got), " "), want) && !strings.Contains(got, strings.ReplaceAll(want, "**", "")) { // a terminal shows no marks
			t.Errorf("%q: %s", module, got)
		}
	}
}
