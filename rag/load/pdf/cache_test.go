package pdf

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"maru/rag/load/loadtest"
)

// TestDamageIsFound changes a folder of the cache in every way.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	good := bytes.Repeat([]byte("machine code "), 1000)
	sealed := func() (dir, code string) {
		dir = t.TempDir()
		code = filepath.Join(dir, "wazero", "code")
		if err := os.Mkdir(filepath.Dir(code), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(code, good, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := seal(dir); err != nil {
			t.Fatal(err)
		}
		return dir, code
	}
	damage := map[string]func(dir, code string) error{
		"cut":      func(_, code string) error { return os.Truncate(code, int64(len(good)/2)) },
		"emptied":  func(_, code string) error { return os.Truncate(code, 0) },
		"removed":  func(_, code string) error { return os.Remove(code) },
		"renamed":  func(_, code string) error { return os.Rename(code, code+"2") },
		"added to": func(dir, _ string) error { return os.WriteFile(filepath.Join(dir, "more"), nil, 0o600) },
		"sum gone": func(dir, _ string) error { return os.Remove(filepath.Join(dir, sumFile)) },
		"sum cut":  func(dir, _ string) error { return os.Truncate(filepath.Join(dir, sumFile), 5) },
		"extended": func(_, code string) error { return os.WriteFile(code, append(bytes.Clone(good), 0), 0o600) },
	}
	for at := 0; at < len(good); at += len(good) / 20 {
		damage["changed at "+string(rune('a'+at*20/len(good)))] = func(_, code string) error {
			bad := bytes.Clone(good)
			bad[at] ^= 0x40
			return os.WriteFile(code, bad, 0o600)
		}
	}
	for name, harm := range damage {
		dir, code := sealed()
		if err := whole(dir); err != nil {
			t.Fatal(err)
		}
		if err := harm(dir, code); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if whole(dir) == nil {
			t.Errorf("%s: it passes for whole", name)
		}
	}
}

// TestFillMakesADamagedFolderAgain once, however many programs fill the cache at the same time, and removes the folders of
// other builds.
func TestFillMakesADamagedFolderAgain(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	dir, old := filepath.Join(cache, build()), filepath.Join(cache, "pdfium-of-another-build")
	for _, d := range []string{dir, old} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(old, time.Time{}, time.Now().Add(-2*abandoned)); err != nil {
		t.Fatal(err)
	}
	var programs sync.WaitGroup
	var compiled atomic.Int32
	begun := make(chan struct{}, 4)
	for range cap(begun) {
		programs.Go(func() {
			begun <- struct{}{}
			if err := fill(t.Context(), cache, dir, func(tmp string) error {
				compiled.Add(1)
				for len(begun) < cap(begun) {
					time.Sleep(time.Millisecond)
				}
				return os.WriteFile(filepath.Join(tmp, "code"), []byte("machine code"), 0o600)
			}); err != nil {
				t.Error(err)
			}
		})
	}
	programs.Wait()
	if n, err := compiled.Load(), whole(dir); n != 1 || err != nil {
		t.Errorf("compiled %d times, %v", n, err)
	}
	left, err := filepath.Glob(filepath.Join(cache, "*"))
	if want := []string{filepath.Join(cache, lockFile), dir}; err != nil || !slices.Equal(left, want) {
		t.Errorf("the cache has %v, %v; want %v", left, err, want)
	}
}

// TestTamperedCacheIsNotRun: changed code is an error; Fill makes it again.
func TestTamperedCacheIsNotRun(t *testing.T) {
	t.Parallel()
	if os.Getenv("MARU_TEST_LONG") == "" {
		t.Skip("it compiles PDFium, for 8 s each time: in make long; TestPDFCache of rag/load has the same over a child")
	}
	shared, cache := loadtest.PDFCache(), filepath.Join(t.TempDir(), "cache")
	if err := Fill(t.Context(), Config{Cache: shared}); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(cache, build()), os.DirFS(filepath.Join(shared, build()))); err != nil {
		t.Fatal(err)
	}
	opens := func() error {
		e, err := Open(t.Context(), Config{Cache: cache})
		if err == nil {
			err = e.Close()
		}
		return err
	}
	if err := opens(); err != nil {
		t.Fatalf("a whole cache: %v", err)
	}
	found, err := filepath.Glob(filepath.Join(cache, build(), "*", "*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the cache has %v, %v", found, err)
	}
	code, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Clone(code)
	bad[len(bad)/2] ^= 0x40
	if err := os.WriteFile(found[0], bad, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := opens(); !errors.Is(err, ErrDamaged) {
		t.Errorf("a changed cache: %v", err)
	}
	if err := Fill(t.Context(), Config{Cache: cache}); err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(found[0]); err != nil || !bytes.Equal(now, code) {
		t.Errorf("it was not made again: %d bytes, want %d, %v", len(now), len(code), err)
	}
	if err := opens(); err != nil {
		t.Errorf("a cache that was made again: %v", err)
	}
}

// TestCacheThatCannotBeWritten is an error that says where.
func TestCacheThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Fill(t.Context(), Config{Cache: filepath.Join(file, "cache")}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
}
