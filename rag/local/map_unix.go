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
