package load_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"maru/logtest"
	"maru/rag/load"
	"maru/rag/load/loadtest"
	"maru/rag/load/pdfium"
)

// pdfReader is one of the two that read PDFs.
type pdfReader struct {
	name   string
	module string // "" is the own extractor
	spaces bool   // it keeps all spaces, whatever the font
}

func (r pdfReader) loader(cfg load.Config) *load.Loader {
	cfg.Command = child("parse-child")
	if r.module != "" {
		cfg.PDFium = pdfium.Config{Module: r.module, Cache: filepath.Join(filepath.Dir(r.module), "compiled")}
	}
	return load.New(cfg)
}

// text loads a file that this reader must read itself.
func (r pdfReader) text(t *testing.T, data []byte) string {
	t.Helper()
	var log logtest.Log
	_, chunks, err := r.loader(load.Config{Log: log.Logger()}).Load(t.Context(), "rules.pdf", data)
	if err != nil {
		t.Fatal(err)
	}
	if said := log.String(); said != "" {
		t.Errorf("PDFium did not read it: %s", said)
	}
	return show(chunks)
}

func pdfReaders(t testing.TB) []pdfReader {
	t.Helper()
	out := []pdfReader{{name: "own"}}
	if module := os.Getenv("MARU_TEST_PDFIUM_WASM"); module != "" && !testing.Short() {
		if err := compiled(); err != nil {
			t.Fatal(err)
		}
		out = append(out, pdfReader{"pdfium", module, true})
	}
	return out
}

// compiled fills the cache, which takes long on a busy machine, before a child's time runs.
var compiled = sync.OnceValue(func() error {
	module := os.Getenv("MARU_TEST_PDFIUM_WASM")
	e, err := pdfium.Open(context.Background(), pdfium.Config{Module: module, Cache: filepath.Join(filepath.Dir(module), "compiled")})
	if err != nil {
		return err
	}
	return e.Close(context.Background())
})

// byEach runs a test with each of the two, and says if there is but one.
func byEach(t *testing.T, test func(*testing.T, pdfReader)) {
	t.Helper()
	for _, r := range pdfReaders(t) {
		t.Run(r.name, func(t *testing.T) { t.Parallel(); test(t, r) })
	}
	if os.Getenv("MARU_TEST_PDFIUM_WASM") == "" {
		t.Run("pdfium", func(t *testing.T) { t.Log(withPDFium(t)) })
	}
}

// withPDFium is the reader of a test that is about PDFium alone.
func withPDFium(t *testing.T) pdfReader {
	t.Helper()
	if testing.Short() {
		t.Skip("PDFium runs in a child, as WebAssembly: nothing for the race detector to watch")
	}
	all := pdfReaders(t)
	if len(all) < 2 {
		missing(t, "MARU_TEST_PDFIUM_WASM is not set: scripts/services.sh gets the module")
	}
	return all[1]
}

func missing(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("MARU_TEST_REQUIRE") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// locked is a PDF as qpdf locks it.
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
		how      []string
		own, any bool // whether the own extractor reads it, whether PDFium does
	}{
		"changes AES 256":        {[]string{"", "owner", "256", "--modify=none", "--print=none"}, true, true},
		"changes RC4 40":         {[]string{"", "owner", "40", "--modify=n"}, true, true},
		"changes RC4 128":        {[]string{"", "owner", "128", "--use-aes=n", "--modify=none"}, true, true},
		"changes AES 256, early": {[]string{"", "owner", "256", "--force-R5", "--modify=none"}, true, true},
		"changes AES 128":        {[]string{"", "owner", "128", "--use-aes=y", "--modify=none"}, true, true},
		"password AES 256":       {[]string{"user", "owner", "256"}, false, false},
		"password RC4 40":        {[]string{"user", "owner", "40"}, false, false},
		"password AES 128":       {[]string{"user", "owner", "128", "--use-aes=y"}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := locked(t, data, c.how...)
			byEach(t, func(t *testing.T, r pdfReader) {
				if r.module == "" && c.own || r.module != "" && c.any {
					if got := r.text(t, file); !strings.Contains(got, "Annual leave is fifteen days.") {
						t.Errorf("got %s", got)
					}
					return
				}
				_, _, err := r.loader(load.Config{}).Load(t.Context(), "locked.pdf", file)
				if e := new(load.Error); !errors.As(err, &e) || e.Code != load.Encrypted {
					t.Errorf("got %v, want encrypted", err)
				}
			})
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
	for i := range data { // damage anywhere is an error or another text, never more
		if testing.Short() && i%16 > 0 {
			continue
		}
		torn := bytes.Clone(data)
		torn[i] ^= 0x55
		if _, _, err := load.New(load.Config{}).Load(t.Context(), "torn.pdf", torn); err != nil && !errors.As(err, new(*load.Error)) {
			t.Fatalf("byte %d: %v", i, err)
		}
	}
}

// TestPDFiumFails: where the module is missing or falls over the own extractor reads the
// document, and the log says why; where it says that the document is locked nobody else tries.
func TestPDFiumFails(t *testing.T) {
	t.Parallel()
	type bodies = map[string]loadtest.Body
	data := pdfOf([]string{"Annual leave is fifteen days."})
	for name, c := range map[string]struct {
		module []byte
		said   string
		want   load.Code
	}{
		"missing":            {nil, "no such file", ""},
		"no module":          {[]byte("<html>"), "not a WebAssembly module", ""},
		"traps at start":     {loadtest.PDFium(bodies{"FPDF_InitLibrary": {Trap: true}}), "FPDF_InitLibrary", ""},
		"traps at opening":   {loadtest.PDFium(bodies{"FPDF_LoadMemDocument": {Trap: true}}), "FPDF_LoadMemDocument", ""},
		"traps in a page":    {loadtest.PDFium(bodies{"FPDF_LoadPage": {Trap: true}}), "page 1: FPDF_LoadPage", ""},
		"traps in the title": {loadtest.PDFium(bodies{"FPDF_GetMetaText": {Trap: true}}), "FPDF_GetMetaText", ""},
		"traps in page 2": {loadtest.PDFium(bodies{ // page 1 has the text A, which must not be left
			"FPDF_GetPageCount": {Returns: 2}, "FPDFText_GetUnicode": {Returns: 'A'}, "FPDF_LoadPage": {TrapAt: 1, Returns: 1},
		}), "page 2: FPDF_LoadPage", ""},
		"has no page":       {loadtest.PDFium(bodies{"FPDF_LoadPage": {Returns: 0}}), "page 1", ""},
		"has no memory":     {loadtest.PDFium(bodies{"malloc": {Returns: 0}}), "no memory", ""},
		"lies about memory": {loadtest.PDFium(bodies{"malloc": {Returns: -8}}), "outside of the memory", ""},
		"counts no pages":   {loadtest.PDFium(bodies{"FPDF_GetPageCount": {Returns: -1}}), "no pages", ""},
		"says broken":       {loadtest.PDFium(bodies{"FPDF_LoadMemDocument": {Returns: 0}, "FPDF_GetLastError": {Returns: 3}}), "fault 3", ""},
		"says locked":       {loadtest.PDFium(bodies{"FPDF_LoadMemDocument": {Returns: 0}, "FPDF_GetLastError": {Returns: 4}}), "", load.Encrypted},
		"counts too many":   {loadtest.PDFium(bodies{"FPDF_GetPageCount": {Returns: 1 << 30}}), "", load.TooComplex},
		"does not end":      {loadtest.PDFium(bodies{"FPDFText_LoadPage": {Forever: true}}), "", load.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "pdfium.wasm")
			if c.module != nil {
				if err := os.WriteFile(path, c.module, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var log logtest.Log
			cfg := load.Config{Log: log.Logger(), Command: child("parse-child"), PDFium: pdfium.Config{Module: path, Cache: t.TempDir()}}
			if c.want == load.Timeout {
				cfg.Timeout = 2 * time.Second
			}
			_, chunks, err := load.New(cfg).Load(t.Context(), "rules.pdf", data)
			if e := new(load.Error); c.want != "" && (!errors.As(err, &e) || e.Code != c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if c.want == "" && (err != nil || show(chunks) != "[rules, p. 1] Annual leave is fifteen days.") {
				t.Errorf("got %s, %v", show(chunks), err)
			}
			if said := log.String(); !strings.Contains(said, c.said) || (c.said == "") != (said == "") {
				t.Errorf("the log says %q, want %q", said, c.said)
			}
		})
	}
}

// TestPDFiumReadsArchives: every PDF of an archive is read by PDFium, one after another.
func TestPDFiumReadsArchives(t *testing.T) {
	t.Parallel()
	r := withPDFium(t)
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
	doc, chunks, err := r.loader(load.Config{}).Load(t.Context(), "leave.zip", b.Bytes())
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
