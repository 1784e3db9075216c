package pgstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

//go:embed migrations/*.sql
var migrations embed.FS

// ErrNewer says that a newer program has changed the schema in a way that this
// one does not know.
var ErrNewer = errors.New("pgstore: the schema was made by a newer version of the program")

// Migration is one step of the schema.
type Migration struct {
	Version  int
	Name     string
	Applied  time.Time // zero if it is still to come
	Additive bool      // an earlier program goes on beside it, and starts on it
}

// additive is the first line of a migration that only adds.
const additive = "-- additive\n"

// Status lists the migrations that this program knows and which of them the
// database has. It changes nothing.
func Status(ctx context.Context, cfg Config) ([]Migration, error) {
	cfg = cfg.defaults()
	conn, err := connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing was written
	return status(ctx, conn)
}

// status reads the table of applied migrations, which may not exist yet.
func status(ctx context.Context, conn *pgx.Conn) ([]Migration, error) {
	list, err := known()
	if err != nil {
		return nil, err
	}
	var exists bool
	if err := conn.QueryRow(ctx, `SELECT to_regclass('migrations') IS NOT NULL`).Scan(&exists); err != nil {
		return nil, fmt.Errorf("pgstore: read migrations: %w", err)
	}
	if !exists {
		return list, nil
	}
	// The column came later than the table.
	rows, err := conn.Query(ctx, `SELECT version, name, applied, coalesce((to_jsonb(m)->>'additive')::boolean, false) FROM migrations m ORDER BY version`)
	if err != nil {
		return nil, fmt.Errorf("pgstore: read migrations: %w", err)
	}
	applied, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Migration])
	if err != nil {
		return nil, fmt.Errorf("pgstore: read migrations: %w", err)
	}
	var newer []Migration
	for _, m := range applied {
		m.Applied = m.Applied.UTC()
		switch {
		case m.Version <= len(list):
			list[m.Version-1].Applied = m.Applied
		case m.Additive: // of a newer program that leaves this one its tables
			newer = append(newer, m)
		default:
			return nil, fmt.Errorf("%w: it has %s", ErrNewer, m.Name)
		}
	}
	return append(list, newer...), nil
}

// known lists the embedded migrations in order.
func known() ([]Migration, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, fmt.Errorf("pgstore: list migrations: %w", err)
	}
	list := make([]Migration, len(names))
	for i, n := range names {
		script, err := migrations.ReadFile(n)
		if err != nil {
			return nil, fmt.Errorf("pgstore: read %s: %w", n, err)
		}
		list[i] = Migration{
			Version: i + 1, Name: strings.TrimSuffix(path.Base(n), ".sql"), Additive: strings.HasPrefix(string(script), additive),
		}
	}
	return list, nil
}

// Migrate brings the schema forward. An advisory lock lets replicas that start
// at once do it one after the other, and each step is a transaction.
func Migrate(ctx context.Context, cfg Config) error {
	_, err := migrate(ctx, cfg.defaults())
	return err
}

// migrate is Migrate; it returns where the type of vectors lives, if anywhere.
func migrate(ctx context.Context, cfg Config) (vectors string, err error) {
	conn, err := connect(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }() // frees the lock
	h := fnv.New64a()
	_, _ = h.Write([]byte("maru/migrate/" + cfg.Schema))                                       // a hash takes every write
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(h.Sum64())); err != nil { //nolint:gosec // any number will do
		return "", fmt.Errorf("pgstore: wait for other replicas' migration: %w", err)
	}
	schema := pgx.Identifier{cfg.Schema}.Sanitize()
	// Asked first, so that a role which may not create schemas can use one made for it.
	var exists bool
	if err := conn.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)`, cfg.Schema).Scan(&exists); err != nil {
		return "", fmt.Errorf("pgstore: look for schema %s: %w", schema, err)
	}
	if !exists {
		if _, err := conn.Exec(ctx, `CREATE SCHEMA `+schema); err != nil {
			return "", fmt.Errorf("pgstore: create schema %s: %w", schema, err)
		}
	}
	if _, err := conn.Exec(ctx, `CREATE TABLE IF NOT EXISTS migrations (
		version integer PRIMARY KEY, name text NOT NULL, applied timestamptz NOT NULL DEFAULT now());
		ALTER TABLE migrations ADD COLUMN IF NOT EXISTS additive boolean NOT NULL DEFAULT false`); err != nil {
		return "", fmt.Errorf("pgstore: create the table of migrations: %w", err)
	}
	list, err := status(ctx, conn)
	if err != nil {
		return "", err
	}
	for _, m := range list {
		if m.Applied.IsZero() {
			if err := apply(ctx, conn, m); err != nil {
				return "", fmt.Errorf("pgstore: migrate to %s: %w", m.Name, err)
			}
		}
	}
	return addVectors(ctx, conn)
}

// apply runs one migration and notes it, in one transaction.
func apply(ctx context.Context, conn *pgx.Conn, m Migration) error {
	script, err := migrations.ReadFile("migrations/" + m.Name + ".sql")
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, string(script)); err != nil { // without arguments: many statements at once
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO migrations (version, name, additive) VALUES ($1, $2, $3)`, m.Version, m.Name, m.Additive)
		return err
	})
}

// connect opens a connection for migrating, which may take its time.
func connect(ctx context.Context, cfg Config) (*pgx.Conn, error) {
	pc, err := cfg.pool()
	if err != nil {
		return nil, err
	}
	pc.ConnConfig.RuntimeParams["statement_timeout"] = "0"
	pc.ConnConfig.RuntimeParams["lock_timeout"] = "0"
	conn, err := pgx.ConnectConfig(ctx, pc.ConnConfig)
	if err != nil {
		return nil, fmt.Errorf("pgstore: connect: %w", err)
	}
	return conn, nil
}
