// Package lock makes a process the only owner of a file. It knows no content of it.
package lock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// ErrInUse reports that another process has the file open.
var ErrInUse = errors.New("sqlitestore: the data folder is in use by another process")

// lockPatience is the wait for the exit of an owner that was just killed.
const lockPatience = time.Second

// Acquire makes this process the owner of the database at path. It locks a separate file, since SQLite locks the
// database itself.
func Acquire(path string) (*flock.Flock, error) {
	ctx, stop := context.WithTimeout(context.Background(), lockPatience)
	defer stop()
	lock := flock.New(path + ".lock")
	if _, err := lock.TryLockContext(ctx, lockPatience/20); errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("%w%s: %s", ErrInUse, describeHolder(lock.Path()), filepath.Dir(path))
	} else if err != nil {
		return nil, fmt.Errorf("sqlitestore: lock %s: %w", path, err)
	}
	// The process id is information for people, on Unix only; the lock does not need it. On Windows, for which nothing is released,
	// the lock keeps other handles from the file.
	_ = os.WriteFile(lock.Path(), []byte(strconv.Itoa(os.Getpid())), 0o600)
	return lock, nil
}

// describeHolder reads the process id that the owner wrote.
func describeHolder(path string) string {
	b, err := os.ReadFile(path)
	if err != nil || len(b) == 0 {
		return ""
	}
	return " (process " + strings.TrimSpace(string(b)) + ")"
}
