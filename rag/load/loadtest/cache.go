package loadtest

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"sync"
)

// PDFCache returns a folder in which the tests of all packages share the compiled PDF engine, one for each set of
// dependencies: a test binary does not know their versions.
func PDFCache() string { return pdfCache() }

var pdfCache = sync.OnceValue(func() string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	sum := sha256.Sum256(dependencies())
	return filepath.Join(base, "maru-test", "pdf-"+hex.EncodeToString(sum[:6]))
})

// dependencies returns the nearest go.sum above the working directory.
func dependencies() []byte {
	at, err := filepath.Abs(".")
	for err == nil && at != filepath.Dir(at) {
		if data, err := os.ReadFile(filepath.Join(at, "go.sum")); err == nil {
			return data
		}
		at = filepath.Dir(at)
	}
	return nil
}
