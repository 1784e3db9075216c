package sqlitestore

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"maru/memory/schema"
)

//go:embed migrations/*.sql
var migrations embed.FS

// known returns this program's migrations.
func (c Config) known() ([]schema.Step, error) {
	if c.steps != nil {
		return schema.Steps(c.steps)
	}
	return schema.Steps(migrations)
}

// migrate migrates the schema to this program's version, all steps in one transaction: a step that fails leaves the
// file to the program that made it, and a new file costs one commit. It accepts a newer program's file if its steps
// are compatible, and returns [schema.ErrNewer] otherwise.
//
// The version is SQLite's user_version. The migrations table, which adds the compatibility of each step, is
// younger: programs that predate it reject every newer file.
func migrate(ctx context.Context, conn *sql.Conn, known []schema.Step, now time.Time) error {
	list, err := status(ctx, conn, known)
	if err != nil {
		return err
	}
	known = slices.DeleteFunc(slices.Clone(known), func(s schema.Step) bool { return list[s.Version-1].Done })
	if len(known) == 0 {
		return nil
	}
	tx, err := conn.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("sqlitestore: migrate: %w", err)
	}
	if _, err := tx.ExecContext(ctx, `CREATE TABLE IF NOT EXISTS migrations (
		version INTEGER PRIMARY KEY, name TEXT NOT NULL, least INTEGER NOT NULL, applied INTEGER NOT NULL)`); err != nil {
		return errors.Join(fmt.Errorf("sqlitestore: create the table of migrations: %w", err), tx.Rollback())
	}
	for _, s := range known {
		if err := apply(ctx, tx, s, now); err != nil {
			return errors.Join(fmt.Errorf("sqlitestore: migrate to %s: %w", s.Name, err), tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("sqlitestore: migrate: %w", err)
	}
	return nil
}

// apply runs one migration and records it.
func apply(ctx context.Context, tx *sql.Tx, s schema.Step, now time.Time) error {
	if _, err := tx.ExecContext(ctx, s.Script); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", s.Version)); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO migrations (version, name, least, applied) VALUES (?, ?, ?, ?)`,
		s.Version, s.Name, s.Least, now.UnixMicro())
	return err
}

// querier is a database or one connection to it.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// status returns the migrations of a file.
func status(ctx context.Context, db querier, known []schema.Step) ([]schema.Migration, error) {
	var have, tables int
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return nil, fmt.Errorf("sqlitestore: read schema version: %w", err)
	}
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'migrations'`).Scan(&tables); err != nil {
		return nil, fmt.Errorf("sqlitestore: read migrations: %w", err)
	}
	taken := make([]schema.Migration, have)
	for i := range taken { // a step without a row in the table requires a program that has it
		taken[i] = schema.Migration{Version: i + 1, Least: i + 1}
	}
	if tables > 0 {
		if err := readTaken(ctx, db, taken); err != nil {
			return nil, fmt.Errorf("sqlitestore: read migrations: %w", err)
		}
	}
	list, err := schema.Merge(known, taken)
	if err != nil {
		err = fmt.Errorf("sqlitestore: %w", err)
	}
	return list, err
}

// readTaken reads the rows of the migrations table.
func readTaken(ctx context.Context, db querier, taken []schema.Migration) (err error) {
	rows, err := db.QueryContext(ctx, `SELECT version, name, least, applied FROM migrations WHERE version BETWEEN 1 AND ? ORDER BY version`, len(taken))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var m schema.Migration
		var at int64
		if err := rows.Scan(&m.Version, &m.Name, &m.Least, &at); err != nil {
			return err
		}
		m.Applied = time.UnixMicro(at).UTC()
		taken[m.Version-1] = m
	}
	return rows.Err()
}

// Status lists this program's migrations and whether the file has them, followed by those of newer programs; none
// are applied if the file is missing. It changes nothing, and works while the program runs. For a file that this
// program cannot use it returns the list with [schema.ErrNewer].
func Status(ctx context.Context, cfg Config) (list []schema.Migration, err error) {
	known, err := cfg.known()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(cfg.Path); errors.Is(err, fs.ErrNotExist) {
		return schema.Merge(known, nil)
	}
	db, err := sql.Open("sqlite", dsn(cfg, true))
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: open %s: %w", cfg.Path, err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return status(ctx, db, known)
}
