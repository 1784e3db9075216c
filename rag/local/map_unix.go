//go:build unix

package local

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// mapped is a memory-mapped file. A cleanup unmaps it once unreachable: a reader with an old snapshot keeps its segments mapped.
type mapped struct{ data []byte }

func mapFile(path string) ([]byte, any, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	if err != nil || st.Size() == 0 {
		return nil, nil, errors.Join(errCorrupt, err, f.Close())
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, nil, err
	}
	m := &mapped{data}
	runtime.AddCleanup(m, func(b []byte) { _ = syscall.Munmap(b) }, data) // nothing to do about a failure
	return data, m, nil
}

// lockFile opens path and locks it for this process; [unlockFile] releases it.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// unlockFile releases the lock and closes the file. Closing alone is not enough: a child being forked holds the file,
// and the lock, until its exec.
func unlockFile(f *os.File) error {
	return errors.Join(syscall.Flock(int(f.Fd()), syscall.LOCK_UN), f.Close())
}
