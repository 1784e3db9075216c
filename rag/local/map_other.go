//go:build !unix

package local

import "os"

// mapFile reads the file: this system has no mapping in the standard library.
func mapFile(path string) ([]byte, any, error) {
	data, err := os.ReadFile(path)
	return data, nil, err
}
