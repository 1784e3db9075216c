package pgstore

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"maru/memory/schema"
)

//go:embed migrations/*.sql
var migrations embed.FS

// A step waits at most stepWait for a table lock, since statements of running programs queue behind it. Then it
// pauses for stepPause before the next try.
const (
	stepWait  = 500 * time.Millisecond
	stepPause = time.Second
)

// Status lists this program's migrations and whether the database has them, followed by those of newer programs.
// It changes nothing. For a schema that this program cannot use it returns the list with [schema.ErrNewer].
func Status(ctx context.Context, cfg Config) ([]schema.Migration, error) {
	cfg = cfg.defaults()
	known, err := cfg.known()
	if err != nil {
		return nil, err
	}
	conn, err := connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing was written
	return status(ctx, conn, known)
}

// known returns this program's migrations.
func (c Config) known() ([]schema.Step, error) {
	if c.steps != nil {
		return schema.Steps(c.steps)
	}
	return schema.Steps(migrations)
}

// status reads the table of applied migrations, which may not exist yet.
func status(ctx context.Context, conn *pgx.Conn, known []schema.Step) ([]schema.Migration, error) {
	var exists bool
	if err := conn.QueryRow(ctx, `SELECT to_regclass('migrations') IS NOT NULL`).Scan(&exists); err != nil {
		return nil, fmt.Errorf("pgstore: read migrations: %w", err)
	}
	var taken []schema.Migration
	if exists {
		// Later programs added the columns after the third.
		rows, err := conn.Query(ctx, `SELECT version, name, applied, coalesce((to_jsonb(m)->>'least')::integer,
			CASE WHEN (to_jsonb(m)->>'additive')::boolean THEN 0 ELSE version END) FROM migrations m ORDER BY version`)
		if err != nil {
			return nil, fmt.Errorf("pgstore: read migrations: %w", err)
		}
		taken, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (m schema.Migration, err error) {
			err = r.Scan(&m.Version, &m.Name, &m.Applied, &m.Least)
			m.Applied = m.Applied.UTC()
			return m, err
		})
		if err != nil {
			return nil, fmt.Errorf("pgstore: read migrations: %w", err)
		}
	}
	list, err := schema.Merge(known, taken)
	if err != nil {
		err = fmt.Errorf("pgstore: %w", err)
	}
	return list, err
}

// Migrate migrates the schema. An advisory lock serialises replicas that start concurrently, and each step is a
// transaction. Running programs are blocked for at most half a second at a time.
func Migrate(ctx context.Context, cfg Config) error {
	_, err := migrate(ctx, cfg.defaults())
	return err
}

// migrate is Migrate; it returns the schema of the vector type, "" without pgvector.
func migrate(ctx context.Context, cfg Config) (vectors string, err error) {
	known, err := cfg.known()
	if err != nil {
		return "", err
	}
	conn, err := connect(ctx, cfg)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }() // releases the lock
	h := fnv.New64a()
	_, _ = h.Write([]byte("maru/migrate/" + cfg.Schema))                                       // never fails
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(h.Sum64())); err != nil { //nolint:gosec // any number is valid
		return "", fmt.Errorf("pgstore: wait for other replicas' migration: %w", err)
	}
	if _, err := conn.Exec(ctx, `SELECT set_config('lock_timeout', $1, false)`, fmt.Sprint(stepWait.Milliseconds())); err != nil {
		return "", fmt.Errorf("pgstore: bound the wait for tables: %w", err)
	}
	if err := createSchema(ctx, conn, cfg); err != nil {
		return "", err
	}
	list, err := status(ctx, conn, known)
	if err != nil {
		return "", err
	}
	for _, s := range known {
		if list[s.Version-1].Done {
			continue
		}
		if err := cfg.retryWhileLocked(ctx, s.Name, func() error { return apply(ctx, conn, s) }); err != nil {
			return "", fmt.Errorf("pgstore: migrate to %s: %w", s.Name, err)
		}
	}
	err = cfg.retryWhileLocked(ctx, "vectors", func() (err error) {
		vectors, err = addVectors(ctx, conn)
		return err
	})
	return vectors, err
}

// createSchema creates the tables for migrations. It leaves existing ones alone: a start must not wait for readers.
func createSchema(ctx context.Context, conn *pgx.Conn, cfg Config) error {
	name := pgx.Identifier{cfg.Schema}.Sanitize()
	for _, step := range []struct {
		missing string
		args    []any
		make    string
	}{
		// A role without the right to create schemas can use an existing one.
		{`SELECT NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = $1)`, []any{cfg.Schema}, `CREATE SCHEMA ` + name},
		{`SELECT to_regclass('migrations') IS NULL`, nil, `CREATE TABLE migrations (
			version integer PRIMARY KEY, name text NOT NULL, applied timestamptz NOT NULL DEFAULT now(), additive boolean NOT NULL DEFAULT false, least integer)`},
		// Programs that predate this column read additive.
		{columnIsMissing("migrations", "least"), nil, `ALTER TABLE migrations ADD COLUMN least integer`},
	} {
		var missing bool
		if err := conn.QueryRow(ctx, step.missing, step.args...).Scan(&missing); err != nil {
			return fmt.Errorf("pgstore: look for schema %s: %w", name, err)
		}
		if !missing {
			continue
		}
		err := cfg.retryWhileLocked(ctx, "the table of migrations", func() error {
			_, err := conn.Exec(ctx, step.make)
			return err
		})
		if err != nil {
			return fmt.Errorf("pgstore: create schema %s: %w", name, err)
		}
	}
	return nil
}

// columnIsMissing returns a query for whether a table lacks a column. ALTER TABLE with IF NOT EXISTS would lock
// the table.
func columnIsMissing(table, column string) string {
	return fmt.Sprintf(`SELECT NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('%s') AND attname = '%s' AND NOT attisdropped)`, table, column)
}

// retryWhileLocked retries a step while others lock the tables, with a pause for the statements queued behind it.
func (c Config) retryWhileLocked(ctx context.Context, what string, do func() error) error {
	for tried := 1; ; tried++ {
		err := do()
		pg, ok := errors.AsType[*pgconn.PgError](err)
		if !ok || pg.Code != "55P03" && pg.Code != "40P01" { // lock not available in time, deadlock
			return err
		}
		c.Log.WarnContext(ctx, "migration waits for table locks, for example of a backup", "step", what, "tries", tried, "err", err)
		pause := time.NewTimer(stepPause)
		select {
		case <-ctx.Done():
			pause.Stop()
			return fmt.Errorf("%w (after %w)", ctx.Err(), err)
		case <-pause.C:
		}
	}
}

// apply runs one migration and records it, in one transaction.
func apply(ctx context.Context, conn *pgx.Conn, s schema.Step) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, s.Script); err != nil { // without arguments, so that it may have several statements
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO migrations (version, name, additive, least) VALUES ($1, $2, $3, $4)`, s.Version, s.Name, s.Least == 0, s.Least)
		return err
	})
}

// connect opens a connection for migrations, without a statement timeout.
func connect(ctx context.Context, cfg Config) (*pgx.Conn, error) {
	pc, err := cfg.pool()
	if err != nil {
		return nil, err
	}
	pc.ConnConfig.RuntimeParams["statement_timeout"] = "0"
	pc.ConnConfig.RuntimeParams["lock_timeout"] = "0"
	conn, err := pgx.ConnectConfig(ctx, pc.ConnConfig)
	return conn, wrap("connect", err)
}
