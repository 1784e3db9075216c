package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"maru/config"
	"maru/logtest"
	"maru/rag/load/loadtest"
)

// readsPDFs lets a program of this environment find the PDF reader compiled, as all but
// the first start of a program do.
func readsPDFs(t *testing.T, env []string) {
	t.Helper()
	for _, setting := range env {
		dir, ok := strings.CutPrefix(setting, "DATA_DIR=")
		if info, err := os.Stat(dir); ok && dir != "" && (os.IsNotExist(err) || err == nil && info.IsDir()) {
			if os.MkdirAll(dir, 0o700) == nil && os.MkdirAll(loadtest.PDFCache(), 0o700) == nil {
				_ = os.Symlink(loadtest.PDFCache(), filepath.Join(dir, "pdfium")) // it is there from another start
			}
		}
	}
}

// TestDoctorReadsAPDF on the command line and in the chat. What cannot be kept is told.
func TestDoctorReadsAPDF(t *testing.T) {
	t.Parallel()
	unraced(t)
	code, out, _ := runHere(t, "", []string{"DATA_DIR=" + t.TempDir()}, "doctor")
	if code != 0 || !strings.Contains(out, "✓ pdf          a small one is read in ") {
		t.Errorf("exit %d: %s", code, out)
	}
	p := newProgram(t, "LANG=C.UTF-8")
	got := ""
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the chat says %s", got)
		}
	})
	p.start() // its check goes on behind the answer, which comes after 8 s: too soon beside many others
	awaits(t, "the chat does not say that PDFs are read", func() bool {
		got = p.talk("main", "/doctor")
		return strings.Contains(strings.ReplaceAll(strings.Join(strings.Fields(got), " "), "**", ""), "PDF reader OK")
	})
}

// TestReaderWithoutDataDir compiles for every PDF, and says so at the start.
func TestReaderWithoutDataDir(t *testing.T) {
	t.Parallel()
	for dir, warns := range map[string]bool{"": true, t.TempDir(): false} {
		var log logtest.Log
		var cfg config.Config
		cfg.Store.DataDir = dir
		if _, err := newLoader(&cfg, log.Logger()); err != nil {
			t.Fatal(err)
		}
		if said := log.String(); strings.Contains(said, "compiling for every PDF") != warns {
			t.Errorf("DATA_DIR %q: the start says %q", dir, said)
		}
	}
}
