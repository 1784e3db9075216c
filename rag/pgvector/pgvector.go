// Package pgvector is a [rag.Index] in PostgreSQL, for teams whose replicas
// should share one index instead of keeping one each, and for more vectors than
// a scan can look at.
//
// Words are found by package rag's own analysis: terms are stored beside the
// passage and searched through a GIN index, BM25 runs in the database with the
// frequencies of the scopes that may be read, and package rank ranks the best as it
// does for every index. Vectors are searched by the pgvector extension, exactly
// or through its HNSW index where there are many; without the extension they are
// scanned in this process, which works and is slower.
//
// Every change is one transaction and every search reads one snapshot. The
// package knows PostgreSQL and no other store.
package pgvector

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"maru/rag"
	"maru/rag/vec"
)

// Config sets an Index up.
type Config struct {
	URL        string    // of PostgreSQL
	Schema     string    // where the tables stand; default "maru"
	Threshold  float64   // score below which nothing is returned; 0 means [rag.DefaultThreshold]
	Embed      rag.Embed // nil: keyword search only
	EmbedModel string    // names the vectors' model; another name embeds everything again, in the background
	// EmbedOld asks a model that was EmbedModel before: its vectors serve until all of the new
	// model are there. It returns nil where that cannot be asked; nil: none can.
	EmbedOld  func(model string) rag.Embed
	ExactUpTo int           // passages of the scopes that are compared one by one; above it HNSW answers; default 20,000
	Poll      time.Duration // how often to look for what other replicas left to embed; default 5 s
	Conns     int32         // connections at most; default 8
	Plain     bool          // use no extension even where there is one
	Log       *slog.Logger  // nil discards
}

// ErrClosed is returned after Close.
var ErrClosed = errors.New("rag/pgvector: the index is closed")

// Index implements [rag.Index]. Use [Open].
type Index struct {
	cfg       Config
	log       *slog.Logger
	pool      *pgxpool.Pool
	schema    string                // quoted
	extension string                // quoted schema of the extension; "" without it
	iterates  bool                  // the extension has iterative scans
	halves    bool                  // and vectors of half the precision
	owner     string                // names this program in leases
	model     int32                 // id of EmbedModel
	trust     rag.Trust             // in the vectors of EmbedModel
	serving   atomic.Pointer[model] // that of before, while its vectors serve; else nil
	idle      int64                 // changes at which nothing was missing; of the background worker
	tidied    bool                  // it has looked for vectors of nothing; of the background worker
	counts    counts

	closed atomic.Bool
	stop   context.CancelFunc
	wake   chan struct{}
	done   sync.WaitGroup
}

var (
	_ rag.Index   = (*Index)(nil)
	_ rag.Finder  = (*Index)(nil)
	_ rag.Sampler = (*Index)(nil)
	_ rag.Scoper  = (*Index)(nil)
)

// Open connects, brings the tables up to date, and starts the background work,
// which ends with Close.
func Open(ctx context.Context, cfg Config) (*Index, error) {
	if cfg.Embed != nil && cfg.EmbedModel == "" {
		return nil, errors.New("rag/pgvector: an embedder needs EmbedModel, the name its vectors are kept under")
	}
	x := &Index{cfg: withDefaults(cfg), wake: make(chan struct{}, 1), idle: -1}
	x.log, x.schema = x.cfg.Log, pgx.Identifier{x.cfg.Schema}.Sanitize()
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil { // it names the fault and hides the password
		return nil, fmt.Errorf("rag/pgvector: DATABASE_URL: %w", err)
	}
	pc.MaxConns = x.cfg.Conns
	pc.ConnConfig.RuntimeParams["application_name"] = "maru documents"
	pc.ConnConfig.RuntimeParams["statement_timeout"] = "60000"
	if x.pool, err = pgxpool.NewWithConfig(ctx, pc); err != nil {
		return nil, fmt.Errorf("rag/pgvector: open the pool: %w", err)
	}
	if err := x.begin(ctx); err != nil {
		x.pool.Close()
		return nil, fmt.Errorf("rag/pgvector: %w", err)
	}
	// The work outlives the call that opened the index; Close ends it.
	bg, stop := context.WithCancel(context.WithoutCancel(ctx))
	x.stop = stop
	x.done.Go(func() {
		vec.Keeper{Fill: x.fill, Wake: x.wake, Poll: x.cfg.Poll, Log: x.log}.Run(bg)
		if cfg.Embed != nil {
			x.release(bg)
		}
	})
	return x, nil
}

// fill does what the tables lack: terms of the present analyser, and vectors.
func (x *Index) fill(ctx context.Context) error {
	err := x.renew(ctx)
	if x.cfg.Embed == nil {
		return err
	}
	return errors.Join(err, x.embedMissing(ctx))
}

func withDefaults(cfg Config) Config {
	if cfg.Schema == "" {
		cfg.Schema = "maru"
	}
	if cfg.ExactUpTo <= 0 {
		cfg.ExactUpTo = 20_000
	}
	if cfg.Poll <= 0 {
		cfg.Poll = 5 * time.Second
	}
	if cfg.Conns <= 0 {
		cfg.Conns = 8
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return cfg
}

func (x *Index) begin(ctx context.Context) error {
	if err := x.migrate(ctx); err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	if x.cfg.Embed == nil {
		return nil
	}
	if err := x.enrol(ctx); err != nil {
		return fmt.Errorf("enrol the model %s: %w", x.cfg.EmbedModel, err)
	}
	return nil
}

// Extension reports whether the pgvector extension searches the vectors.
func (x *Index) Extension() bool { return x.extension != "" }

// Close stops the background work and closes the connections. Twice is once.
func (x *Index) Close() error {
	if x.closed.Swap(true) {
		return nil
	}
	x.stop()
	x.done.Wait()
	x.pool.Close()
	return nil
}

func (x *Index) usable(ctx context.Context) error {
	if x.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}

//go:embed schema.sql
var schemaSQL string

//go:embed points.sql
var pointsSQL string

// in puts the schemas' names into a statement. They are written out, not left to
// search_path, which may be shared with others behind a connection pooler.
func (x *Index) in(sql string) string {
	return strings.NewReplacer("{s}", x.schema, "{v}", x.extension).Replace(sql)
}

// schemaLock keeps replicas that start at once from making the tables together.
const schemaLock = 0x6d617275_69647831 // "maruidx1"

func (x *Index) migrate(ctx context.Context) error {
	if err := x.findExtension(ctx); err != nil {
		return err
	}
	if err := x.findFeatures(ctx); err != nil {
		return fmt.Errorf("detect the features of pgvector: %w", err)
	}
	if err := x.tx(ctx, func(tx pgx.Tx) error { return x.addAnalyser(ctx, tx) }); err != nil {
		return err
	}
	return x.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(schemaLock)); err != nil {
			return err
		}
		script := `CREATE SCHEMA IF NOT EXISTS {s};` + schemaSQL
		if x.Extension() {
			script += pointsSQL
		}
		if _, err := tx.Exec(ctx, x.in(script), pgx.QueryExecModeSimpleProtocol); err != nil {
			return err
		}
		return tx.QueryRow(ctx, `SELECT gen_random_uuid()::text`).Scan(&x.owner)
	})
}

// findExtension looks for the pgvector extension, and makes it known to the
// database if the server has it and lets us.
func (x *Index) findExtension(ctx context.Context) error {
	if x.cfg.Plain {
		return nil
	}
	const where = `SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`
	var schema string
	err := x.pool.QueryRow(ctx, where).Scan(&schema)
	if errors.Is(err, pgx.ErrNoRows) {
		var there bool
		if err := x.pool.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')`).Scan(&there); err != nil {
			return err
		}
		if !there {
			x.log.InfoContext(ctx, "index: without pgvector", "fix", "install the pgvector extension on the server for faster search by vectors")
			return nil
		}
		if _, err := x.pool.Exec(ctx, `CREATE EXTENSION IF NOT EXISTS vector`); err != nil {
			x.log.WarnContext(ctx, "index: without pgvector", "err", err, "fix", "as a superuser of the database run: CREATE EXTENSION vector")
			return nil
		}
		err = x.pool.QueryRow(ctx, where).Scan(&schema)
	}
	if err != nil {
		return fmt.Errorf("look for the pgvector extension: %w", err)
	}
	x.extension = pgx.Identifier{schema}.Sanitize()
	return nil
}

func (x *Index) tx(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, x.pool, f)
}

// snapshot reads everything at one moment of the database.
func (x *Index) snapshot(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginTxFunc(ctx, x.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, f)
}
