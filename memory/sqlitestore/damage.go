package sqlitestore

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrDamaged reports a file that is not an SQLite database, or a corrupt one.
var ErrDamaged = errors.New("the file is not a database, or it is damaged")

// noRoom is the error of a file that cannot grow: the disk is full, or a limit is reached.
type noRoom struct{ error }

// Unwrap returns SQLite's error.
func (e noRoom) Unwrap() error { return e.error }

// PeopleCode returns the message code for people.
func (noRoom) PeopleCode() string { return "store_full" }

// full marks the errors of a full disk as noRoom.
func full(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == sqlite3.SQLITE_FULL {
		return noRoom{err}
	}
	return err
}

// damaged marks the errors of a corrupt file as [ErrDamaged].
func damaged(err error) error {
	const primary = 0xff // the high bits are SQLite's extended code
	e, ok := errors.AsType[*sqlite.Error](err)
	if ok && (e.Code()&primary == sqlite3.SQLITE_NOTADB || e.Code()&primary == sqlite3.SQLITE_CORRUPT) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}
