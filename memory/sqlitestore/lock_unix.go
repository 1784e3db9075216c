//go:build unix

package sqlitestore

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile acquires the exclusive lock of an open file; false if another process has it. The system releases it
// when the process ends.
func lockFile(f *os.File) (bool, error) {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == unix.EWOULDBLOCK { //nolint:errorlint // a bare errno from the system call
		return false, nil
	}
	return err == nil, err
}

// unlockFile releases the lock and closes the file. Closing is not enough: a child process being started inherits
// the file, and with it the lock, until it calls exec.
func unlockFile(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}
