//go:build unix

package sqlitestore

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile takes the exclusive lock of an open file; false if another process
// has it. The lock goes with the process, however it ends.
func lockFile(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK { //nolint:errorlint // a bare errno from the system call
		return false, nil
	}
	return err == nil, err
}
