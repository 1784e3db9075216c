package sqlitestore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
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
