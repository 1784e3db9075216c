//go:build unix

package sqlitestore

import (
	"errors"
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

// unlockFile gives the lock back and closes the file. Closing alone would not do: a child that is
// being started has the file, and with it the lock, until it runs its own program.
func unlockFile(f *os.File) error {
	return errors.Join(unix.Flock(int(f.Fd()), unix.LOCK_UN), f.Close())
}
