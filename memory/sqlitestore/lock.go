package sqlitestore

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// ErrInUse reports that another process has the file open.
var ErrInUse = errors.New("sqlitestore: the data folder is in use by another process")

// lockPatience is the wait for the exit of an owner that was just killed.
const lockPatience = time.Second

// acquire makes this process the owner of the database at path. It locks a separate file, since SQLite locks the
// database itself.
func acquire(path string) (*os.File, error) {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: open the lock of %s: %w", path, err)
	}
	ok, err := lockFile(f)
	for deadline := time.Now().Add(lockPatience); err == nil && !ok && time.Now().Before(deadline); {
		<-time.After(lockPatience / 20)
		ok, err = lockFile(f)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sqlitestore: lock %s: %w", path, err), f.Close())
	}
	if !ok {
		holder := describeHolder(f)
		return nil, errors.Join(fmt.Errorf("%w%s: %s", ErrInUse, holder, filepath.Dir(path)), f.Close())
	}
	if err := f.Truncate(0); err == nil {
		// The process id is information for people; the lock does not need it.
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())), 0)
	}
	return f, nil
}

// describeHolder reads the process id that the owner wrote.
func describeHolder(f *os.File) string {
	b, err := io.ReadAll(io.LimitReader(f, 20))
	if err != nil || len(b) == 0 {
		return ""
	}
	return " (process " + strings.TrimSpace(string(b)) + ")"
}
