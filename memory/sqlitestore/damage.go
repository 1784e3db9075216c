package sqlitestore

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrDamaged says that the file is no database of SQLite, or a broken one.
var ErrDamaged = errors.New("the file is no database, or it is damaged")

// damaged tells [ErrDamaged] from other errors.
func damaged(err error) error {
	const primary = 0xff // the rest of a code says more closely what is wrong
	e, ok := errors.AsType[*sqlite.Error](err)
	if ok && (e.Code()&primary == sqlite3.SQLITE_NOTADB || e.Code()&primary == sqlite3.SQLITE_CORRUPT) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return err
}
