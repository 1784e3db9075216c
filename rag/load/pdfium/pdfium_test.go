package pdfium_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"maru/rag/load/loadtest"
	"maru/rag/load/pdfium"
)

// faulty writes a module of which some functions misbehave.
func faulty(t *testing.T, bodies map[string]loadtest.Body) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pdfium.wasm")
	if err := os.WriteFile(path, loadtest.PDFium(bodies), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func opens(t *testing.T, cfg pdfium.Config) {
	t.Helper()
	e, err := pdfium.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// cached returns the one file of the cache that holds machine code, and fails the
// test if anything else is there than belongs there.
func cached(t *testing.T, dir string) string {
	t.Helper()
	var code []string
	for _, pattern := range []string{"*", "*/*", "*/*/*"} {
		found, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 || len(found) > 2 {
			t.Fatalf("the cache has %v", found)
		}
		code = found
	}
	return code[0]
}

// TestCacheIsMadeAgain damages what the cache holds in every way, also where wazero has
// no checksum: the module opens, and the cache is as it was.
func TestCacheIsMadeAgain(t *testing.T) {
	t.Parallel()
	cfg := pdfium.Config{Module: faulty(t, nil), Cache: filepath.Join(t.TempDir(), "cache")}
	opens(t, cfg)
	path := cached(t, cfg.Cache)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := filepath.Join(filepath.Dir(filepath.Dir(path)), "sum")
	damage := map[string]func() error{
		"cut":      func() error { return os.Truncate(path, int64(len(good)/2)) },
		"emptied":  func() error { return os.Truncate(path, 0) },
		"removed":  func() error { return os.Remove(path) },
		"sum gone": func() error { return os.Remove(sum) },
		"sum cut":  func() error { return os.Truncate(sum, 5) },
		"extended": func() error { return os.WriteFile(path, append(bytes.Clone(good), 0), 0o600) },
	}
	for at := 0; at < len(good); at += 1 + len(good)/20 {
		damage["changed at "+string(rune('a'+at*20/len(good)))] = func() error {
			bad := bytes.Clone(good)
			bad[at] ^= 0x40
			return os.WriteFile(path, bad, 0o600)
		}
	}
	for name, harm := range damage {
		if err := harm(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		opens(t, cfg)
		if now, err := os.ReadFile(cached(t, cfg.Cache)); err != nil || !bytes.Equal(now, good) {
			t.Errorf("%s: the cache was not made again: %d bytes, want %d, %v", name, len(now), len(good), err)
		}
	}
}

// TestCacheIsShared: programs that find no cache at the same time all work, and leave one.
func TestCacheIsShared(t *testing.T) {
	t.Parallel()
	cfg := pdfium.Config{Module: faulty(t, nil), Cache: filepath.Join(t.TempDir(), "cache")}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { opens(t, cfg) })
	}
	wg.Wait()
	before, err := os.Stat(cached(t, cfg.Cache))
	if err != nil {
		t.Fatal(err)
	}
	opens(t, cfg)
	after, err := os.Stat(cached(t, cfg.Cache))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("a cache that is whole was made again: %v", err)
	}
}

// TestCacheThatCannotBeWritten is done without.
func TestCacheThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	opens(t, pdfium.Config{Module: faulty(t, nil), Cache: filepath.Join(file, "cache")})
}

// TestWhatIsNoModule is refused with a reason, and what can be seen without compiling is seen by Sum.
func TestWhatIsNoModule(t *testing.T) {
	t.Parallel()
	whole := loadtest.PDFium(nil)
	for name, c := range map[string]struct {
		data []byte
		want string
		sum  bool // it is seen at once
	}{
		"text":       {[]byte("<html>not found</html>"), "not a WebAssembly module", true},
		"empty":      {nil, "not a WebAssembly module", true},
		"cut":        {whole[:len(whole)-40], "cut off", true},
		"another":    {[]byte("\x00asm\x01\x00\x00\x00\x01\x01\x00"), "not a module of PDFium", false},
		"nonsense":   {[]byte("\x00asm\x01\x00\x00\x00\x01\x02\xff\xff"), "compile", false},
		"traps":      {loadtest.PDFium(map[string]loadtest.Body{"FPDF_InitLibrary": {Trap: true}}), "unreachable", false},
		"starts not": {loadtest.PDFium(map[string]loadtest.Body{"__wasm_call_ctors": {Trap: true}}), "start", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "pdfium.wasm")
			if err := os.WriteFile(path, c.data, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := pdfium.Open(t.Context(), pdfium.Config{Module: path, Cache: t.TempDir()})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
			if _, err := pdfium.Sum(path); (err != nil) != c.sum {
				t.Errorf("Sum: %v", err)
			}
		})
	}
	if _, err := pdfium.Open(t.Context(), pdfium.Config{Module: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a module that is not there: %v", err)
	}
}

// hello is a page without a table of its objects: PDFium finds them.
const hello = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj
4 0 obj<</Length 46>>
stream
BT /F1 12 Tf 50 700 Td (hello world) Tj ET    
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
%%EOF`

// TestMemoryIsBounded: a document that does not fit is an error, and the next one is read.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	path := os.Getenv("MARU_TEST_PDFIUM_WASM")
	if path == "" {
		if os.Getenv("MARU_TEST_REQUIRE") == "1" {
			t.Fatal("no MARU_TEST_PDFIUM_WASM")
		}
		t.Skip("no MARU_TEST_PDFIUM_WASM: scripts/services.sh gets it")
	}
	e, err := pdfium.Open(t.Context(), pdfium.Config{Module: path, Cache: filepath.Join(filepath.Dir(path), "compiled"), Memory: 32 << 20})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := e.Document(t.Context(), make([]byte, 40<<20)); err == nil || !strings.Contains(err.Error(), "no memory") {
			t.Errorf("40 MiB in 32: %v", err)
		}
		d, err := e.Document(t.Context(), []byte(hello))
		if err != nil {
			t.Fatal(err)
		}
		runs, err := d.Page(t.Context(), 0, 100)
		if err != nil || len(runs) != 1 || runs[0].Text != "hello world" || runs[0].X != 50 || runs[0].Size != 12 {
			t.Errorf("got %+v, %v", runs, err)
		}
		if _, err := d.Page(t.Context(), 0, 5); !errors.Is(err, pdfium.ErrText) {
			t.Errorf("11 bytes where 5 may be: %v", err)
		}
		if _, err := d.Page(t.Context(), 7, 100); !errors.Is(err, pdfium.ErrPage) {
			t.Errorf("a page that is not there: %v", err)
		}
		if err := d.Close(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
