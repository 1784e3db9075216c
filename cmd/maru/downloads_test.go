package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// maxDownloads bounds what a fresh machine downloads before it can compile the program: archives of the linked modules.
const maxDownloads = 105 << 20

// TestDownloads sums the archives of the linked modules. docs/decisions/0005-libraries.md lists the large ones.
func TestDownloads(t *testing.T) {
	t.Parallel()
	unraced(t)
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	must(t, "go env", err)
	downloads := filepath.Join(strings.TrimSpace(string(out)), "cache", "download")
	sizes, sum := map[string]int64{}, int64(0)
	for _, m := range linkedModules(t, "linux/amd64") {
		archive, err := os.Stat(filepath.Join(downloads, filepath.FromSlash(escaped(m.Path)), "@v", escaped(m.Version)+".zip"))
		if err != nil {
			t.Skipf("modules do not come from archives here: %v", err)
		}
		sizes[m.Path] = archive.Size()
	}
	paths := make([]string, 0, len(sizes))
	for path, size := range sizes {
		paths, sum = append(paths, path), sum+size
	}
	slices.SortFunc(paths, func(a, b string) int { return int(sizes[b] - sizes[a]) })
	if t.Logf("%d modules, %d bytes", len(sizes), sum); sum > maxDownloads || len(sizes) < 20 {
		t.Errorf("%d modules are %d bytes to download, limit %d; the largest are %v", len(sizes), sum, maxDownloads, paths[:min(10, len(paths))])
	}
}

// escaped returns a module's path or version as the module cache writes it: capitals as ! and the small letter.
func escaped(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
