//go:build !unix

package evaluate

import "os"

// lockNote never locks: the standard library has no lock for this system, and an index that may be in use is kept.
func lockNote(*os.File) (bool, error) { return false, nil }
