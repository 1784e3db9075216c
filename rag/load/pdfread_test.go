package load_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maru/rag/load"
	"maru/rag/load/loadtest"
	"maru/rag/load/pdf"
)

// compilePDFium fills the cache that the tests share.
func compilePDFium() error {
	return pdf.Fill(context.Background(), pdf.Config{Cache: loadtest.PDFCache()})
}

// patient is the time for a file in tests that are not about time: beside other tests and compilers a PDF has taken more
// than the default minute.
const patient = 10 * time.Minute

// pdfLoader reads files in children that find the compiled engine.
func pdfLoader(cfg load.Config) *load.Loader {
	cfg.Command, cfg.PDF.Cache, cfg.Timeout = child("parse-child"), loadtest.PDFCache(), cmp.Or(cfg.Timeout, patient)
	return load.New(cfg)
}

func pdfText(t *testing.T, data []byte) string {
	t.Helper()
	_, chunks, err := newLoader().Load(t.Context(), "rules.pdf", data)
	if err != nil {
		t.Fatal(err)
	}
	return show(chunks)
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("MARU_TEST_REQUIRE") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// locked returns a PDF as qpdf locks it.
func locked(t *testing.T, data []byte, how ...string) []byte {
	t.Helper()
	qpdf, err := exec.LookPath("qpdf")
	if err != nil {
		missing(t, "qpdf is missing: locked PDFs of a real producer are not tested")
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.pdf"), filepath.Join(dir, "out.pdf")
	if err := os.WriteFile(in, data, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append(append([]string{"--allow-weak-crypto", "--encrypt"}, how...), "--", in, out)
	if log, err := exec.CommandContext(t.Context(), qpdf, args...).CombinedOutput(); err != nil {
		t.Fatalf("qpdf: %v\n%s", err, log)
	}
	data, err = os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestLockedPDFs: what may be read without a password is read, whatever the cipher. What
// needs one is refused as that.
func TestLockedPDFs(t *testing.T) {
	t.Parallel()
	data := pdfOf([]string{"Annual leave is fifteen days."})
	for name, c := range map[string]struct {
		how  []string
		read bool
	}{
		"changes AES 256":        {[]string{"", "owner", "256", "--modify=none", "--print=none"}, true},
		"changes RC4 40":         {[]string{"", "owner", "40", "--modify=n"}, true},
		"changes RC4 128":        {[]string{"", "owner", "128", "--use-aes=n", "--modify=none"}, true},
		"changes AES 256, early": {[]string{"", "owner", "256", "--force-R5", "--modify=none"}, true},
		"changes AES 128":        {[]string{"", "owner", "128", "--use-aes=y", "--modify=none"}, true},
		"password AES 256":       {[]string{"user", "owner", "256"}, false},
		"password RC4 40":        {[]string{"user", "owner", "40"}, false},
		"password AES 128":       {[]string{"user", "owner", "128", "--use-aes=y"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := locked(t, data, c.how...)
			if c.read {
				if got := pdfText(t, file); !strings.Contains(got, "Annual leave is fifteen days.") {
					t.Errorf("got %s", got)
				}
				return
			}
			_, _, err := newLoader().Load(t.Context(), "locked.pdf", file)
			if e := new(load.Error); !errors.As(err, &e) || e.Code != load.Encrypted {
				t.Errorf("got %v, want encrypted", err)
			}
		})
	}
}

// TestLockedByAnother: other producers put the lock among other objects.
func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/reportlab-rc4-40.pdf")
	if err != nil {
		t.Fatal(err)
	}
	doc, chunks := mustLoad(t, "leave.pdf", data)
	if got := show(chunks); got != "[Leave, p. 1] Annual leave is fifteen days." || doc.Title != "Leave" {
		t.Errorf("%s: %s", doc.Title, got)
	}
}

// TestPDFsOfAnArchive are read one after another.
func TestPDFsOfAnArchive(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, data := range map[string][]byte{
		"a.pdf": pdfOf([]string{"Annual leave is fifteen days."}), "b.pdf": locked(t, pdfOf([]string{"Sick leave is ten days."}), "", "owner", "256"),
		"c.pdf": locked(t, pdfOf([]string{"Nobody reads this."}), "user", "owner", "256"),
	} {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	doc, chunks, err := newLoader().Load(t.Context(), "leave.zip", b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got := show(chunks)
	if !strings.Contains(got, "Annual leave is fifteen days.") || !strings.Contains(got, "Sick leave is ten days.") {
		t.Errorf("got %s", got)
	}
	if len(doc.Unread) != 1 || doc.Unread[0].Name != "c.pdf" || doc.Unread[0].Why != string(load.Encrypted) {
		t.Errorf("not read: %+v", doc.Unread)
	}
}
