//go:build !unix

package local

import "os"

// mapFile reads the file: this system has no mapping in the standard library.
func mapFile(path string) ([]byte, any, error) {
	data, err := os.ReadFile(path)
	return data, nil, err
}

// lockFile opens path; this system has no lock against a second program.
func lockFile(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
}

func unlockFile(f *os.File) error { return f.Close() }
