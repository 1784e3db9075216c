//go:build unix

package evaluate

import (
	"errors"
	"os"
	"syscall"
)

// lockNote locks a note until it is closed; false if another process has it.
func lockNote(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
