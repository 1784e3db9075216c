package pgvector

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// database is the schema of an index on its server, and the extension that the server has.
type database struct {
	pool      *pgxpool.Pool
	log       *slog.Logger
	schema    string // quoted
	extension string // quoted schema of the extension; "" without it
	iterates  bool   // the extension has iterative scans
	halves    bool   // and vectors of half the precision
}

//go:embed schema.sql
var schemaSQL string

//go:embed points.sql
var pointsSQL string

// schemaLock serialises replicas that create the tables at once.
const schemaLock = 0x6d617275_69647831 // "maruidx1"

// migrate makes the tables, with the extension unless plain, and returns a name for this program in leases.
func (d *database) migrate(ctx context.Context, plain bool) (owner string, err error) {
	if !plain {
		if err := d.findExtension(ctx); err != nil {
			return "", err
		}
	}
	if err := d.findFeatures(ctx); err != nil {
		return "", fmt.Errorf("detect the features of pgvector: %w", err)
	}
	if err := d.tx(ctx, func(tx pgx.Tx) error { return d.addAnalyser(ctx, tx) }); err != nil {
		return "", err
	}
	err = d.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(schemaLock)); err != nil {
			return err
		}
		script := `CREATE SCHEMA IF NOT EXISTS {s};` + schemaSQL
		if d.Extension() {
			script += pointsSQL
		}
		if _, err := tx.Exec(ctx, d.in(script), pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT gen_random_uuid()::text`).Scan(&owner)
	})
	return owner, err
}

// addAnalyser adds the analyser version column to older tables. It takes an exclusive lock, so it runs only if needed
// and holds no other table.
func (d *database) addAnalyser(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(schemaLock)); err != nil {
		return err
	}
	var lacks bool
	err := tx.QueryRow(ctx, `SELECT to_regclass($1) IS NOT NULL AND NOT EXISTS
		(SELECT FROM pg_attribute WHERE attrelid = to_regclass($1) AND attname = 'analyser' AND NOT attisdropped)`, d.in(`{s}.rag_index_passages`)).Scan(&lacks)
	if err != nil || !lacks {
		return err
	}
	_, err = tx.Exec(ctx, d.in(`ALTER TABLE {s}.rag_index_passages ADD COLUMN analyser integer NOT NULL DEFAULT 1`))
	return err
}

// findExtension detects the pgvector extension, and creates it if the server has it and permits it.
func (d *database) findExtension(ctx context.Context) error {
	const where = `SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`
	var schema string
	err := d.pool.QueryRow(ctx, where).Scan(&schema)
	if errors.Is(err, pgx.ErrNoRows) {
		var there bool
		if err := d.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')`).Scan(&there); err != nil {
			return err
		}
		if !there {
			d.log.InfoContext(ctx, "index: without pgvector", "fix", "install the pgvector extension on the server for faster search by vectors")
			return nil
		}
		if _, err := d.pool.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS vector`); err != nil {
			d.log.WarnContext(ctx, "index: without pgvector", "err", err, "fix", "as a superuser of the database run: CREATE EXTENSION vector")
			return nil
		}
		err = d.pool.QueryRow(ctx, where).Scan(&schema)
	}
	if err != nil {
		return fmt.Errorf("look for the pgvector extension: %w", err)
	}
	d.extension = pgx.Identifier{schema}.Sanitize()
	return nil
}

// findFeatures detects the extension's features: HNSW requires iterative scans, which continue until enough passages
// match the scopes and the filter (0.8); half-precision vectors came with 0.7. The literal loads the library, and
// with it the setting.
func (d *database) findFeatures(ctx context.Context) error {
	if !d.Extension() {
		return nil
	}
	var one string
	err := d.pool.QueryRow(ctx, d.in(`SELECT '[1]'::{v}.vector::text, current_setting('hnsw.iterative_scan', true) IS NOT NULL, to_regtype('{v}.halfvec') IS NOT NULL`)).Scan(&one, &d.iterates, &d.halves)
	if err == nil && !d.iterates {
		d.log.InfoContext(ctx, "index: the pgvector extension has no iterative scans", "fix", "update it to 0.8 or newer for search among many vectors by HNSW; until then they are compared one by one")
	}
	return err
}

// Extension reports whether the pgvector extension searches the vectors.
func (d *database) Extension() bool { return d.extension != "" }

// indexable reports whether vectors of this size can have an HNSW index.
func (d *database) indexable(size int) bool {
	return d.iterates && (size <= hnswFloats || d.halves && size <= hnswHalves)
}

// kind returns the column type of an HNSW index for a vector size.
func (d *database) kind(size int) string {
	if size > hnswFloats {
		return fmt.Sprintf("{v}.halfvec(%d)", size)
	}
	return fmt.Sprintf("{v}.vector(%d)", size)
}

// state reads the size of a model's vectors, 0 if there are none, and whether they have an HNSW index.
func (d *database) state(ctx context.Context, db querier, model int32) (size int, indexed bool, err error) {
	name := fmt.Sprintf("%s.rag_index_points_hnsw_%d", d.schema, model)
	err = db.QueryRow(ctx, d.in(`SELECT size, to_regclass($2::text) IS NOT NULL FROM {s}.rag_index_models WHERE id = $1`), model, name).Scan(&size, &indexed)
	return size, indexed, err
}

// in substitutes schema names in a statement. They are written out because a connection pooler may share search_path.
func (d *database) in(sql string) string {
	return strings.NewReplacer("{s}", d.schema, "{v}", d.extension).Replace(sql)
}

func (d *database) tx(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, d.pool, f)
}

// snapshot runs reads in one repeatable-read transaction.
func (d *database) snapshot(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, d.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f)
}
