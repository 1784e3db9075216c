package sqlitestore

import (
	"os"

	"golang.org/x/sys/windows"
)

// lockFile acquires the exclusive lock of an open file; false if another process has it. The system releases it
// when the process ends.
func lockFile(f *os.File) (bool, error) {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	// The lock byte lies beyond the written bytes, so that a second process can read the owner's name.
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if err == windows.ERROR_LOCK_VIOLATION { //nolint:errorlint // a bare errno from the system call
		return false, nil
	}
	return err == nil, err
}

// unlockFile releases the lock, which no child inherits, by closing the file.
func unlockFile(f *os.File) error { return f.Close() }
