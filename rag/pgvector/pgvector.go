// Package pgvector is a [rag.Index] in PostgreSQL, for teams whose replicas share one index, and for more vectors
// than an exact scan can serve.
//
// Keyword search uses package rag's own analysis: terms are stored beside the passage and searched through a GIN
// index, BM25 runs in the database with the frequencies of the readable scopes, and package rank ranks the top
// candidates as for every index. Vectors are searched by the pgvector extension, exactly or through HNSW; without the
// extension this process scans them, more slowly.
//
// Every change is one transaction and every search reads one snapshot. The package must not know other stores.
package pgvector

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"maru/rag"
	"maru/rag/vec"
)

// Config configures an Index.
type Config struct {
	URL        string    // of PostgreSQL
	Schema     string    // where the tables stand; default "maru"
	Threshold  float64   // score below which nothing is returned; 0 means [rag.DefaultThreshold]
	Embed      rag.Embed // nil: keyword search only
	EmbedModel string    // model name of the vectors; a new name re-embeds everything in the background
	// EmbedOld returns an embedder of the previous EmbedModel: its vectors serve until all new ones are there. It
	// returns nil if that model is unavailable; nil: none is.
	EmbedOld  func(model string) rag.Embed
	ExactUpTo int           // maximum passages of the scopes for exact search; above it HNSW is used; default 20,000
	Poll      time.Duration // polling interval for work left by other replicas; default 5 s
	Conns     int32         // connections at most; default 8
	Plain     bool          // do not use the extension even if installed
	Log       *slog.Logger  // nil discards
}

// ErrClosed is returned after Close.
var ErrClosed = errors.New("rag/pgvector: the index is closed")

// Index implements [rag.Index]. Use [Open].
type Index struct {
	cfg Config
	database
	owner   string                // names this program in leases
	model   int32                 // id of EmbedModel
	blend   rag.Blend             // of the vectors of EmbedModel
	outcome vec.Outcome           // of the background work
	lessons atomic.Int64          // of the serving model that are stored
	serving atomic.Pointer[model] // the previous model's, while its vectors serve; else nil
	idle    int64                 // change counter without missing vectors; used by the background worker
	tidied  bool                  // unused vectors were checked; used by the background worker
	counts  counts

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

// Open connects, migrates the tables, and starts the background work, which ends with Close.
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
		vec.Keeper{Fill: x.fill, Wake: x.wake, Poll: x.cfg.Poll, Log: x.log, Last: &x.outcome}.Run(bg)
		if cfg.Embed != nil {
			x.release(bg)
		}
	})
	return x, nil
}

// fill adds missing data: terms of the present analyser, and vectors.
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
	owner, err := x.migrate(ctx, x.cfg.Plain)
	if err != nil {
		return fmt.Errorf("make the tables: %w", err)
	}
	x.owner = owner
	if x.cfg.Embed == nil {
		return nil
	}
	if err := x.enrol(ctx); err != nil {
		return fmt.Errorf("enrol the model %s: %w", x.cfg.EmbedModel, err)
	}
	return nil
}

// Ping reports whether the server answers.
func (x *Index) Ping(ctx context.Context) error {
	if err := x.usable(ctx); err != nil {
		return err
	}
	return x.pool.Ping(ctx)
}

// Close stops the background work and closes the connections. It is idempotent.
func (x *Index) Close() error {
	if x.closed.Swap(true) {
		return nil
	}
	x.stop()
	x.done.Wait()
	x.pool.Close()
	return nil
}

// Drop deletes the schema with everything in it, and closes the index.
func (x *Index) Drop(ctx context.Context) error {
	if x.closed.Swap(true) {
		return ErrClosed
	}
	x.stop()
	x.done.Wait()
	defer x.pool.Close()
	_, err := x.pool.Exec(ctx, x.in(`DROP SCHEMA {s} CASCADE`))
	return err
}

func (x *Index) usable(ctx context.Context) error {
	if x.closed.Load() {
		return ErrClosed
	}
	return ctx.Err()
}
