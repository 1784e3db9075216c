package sqlitestore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed migrations/*.sql
var migrations embed.FS

// ErrNewer says that a newer program has written the file.
var ErrNewer = errors.New("sqlitestore: the file was written by a newer version of the program")

// migrate brings the schema forward to this program's version, one transaction
// a step. The version is SQLite's user_version; a file of a newer program is
// refused, since this one cannot know what it means.
func migrate(ctx context.Context, conn *sql.Conn) error {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return fmt.Errorf("sqlitestore: list migrations: %w", err)
	}
	var have int
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return fmt.Errorf("sqlitestore: read schema version: %w", err)
	}
	if have > len(names) {
		return fmt.Errorf("%w: its schema is %d, this program knows %d", ErrNewer, have, len(names))
	}
	for i := have; i < len(names); i++ {
		if err := step(ctx, conn, names[i], i+1); err != nil {
			return fmt.Errorf("sqlitestore: migrate to %s: %w", names[i], err)
		}
	}
	return nil
}

// step applies one migration and its version number together.
func step(ctx context.Context, conn *sql.Conn, name string, version int) error {
	script, err := migrations.ReadFile(name)
	if err != nil {
		return err
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, string(script)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// Migration is one step of the schema.
type Migration struct {
	Version int
	Name    string
	Applied bool
}

// Status lists the migrations that this program knows and which of them the file
// at path has; none of a file that is not there. It changes nothing and may be
// asked while the program runs.
func Status(ctx context.Context, path string) ([]Migration, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: list migrations: %w", err)
	}
	have := 0
	if _, err := os.Stat(path); err == nil {
		db, err := sql.Open("sqlite", dsn(Config{Path: path}, true))
		if err != nil {
			return nil, fmt.Errorf("sqlitestore: open %s: %w", path, err)
		}
		err = db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have)
		if err = errors.Join(err, db.Close()); err != nil {
			return nil, fmt.Errorf("sqlitestore: read schema version: %w", err)
		}
	}
	list := make([]Migration, len(names))
	for i, n := range names {
		list[i] = Migration{Version: i + 1, Name: strings.TrimSuffix(filepath.Base(n), ".sql"), Applied: i < have}
	}
	return list, nil
}
