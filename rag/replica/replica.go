// Package replica replicates a document index among replicas. PostgreSQL stores every document with its passages and
// the order of changes; each replica applies them to a local index and searches there, so that a search needs no
// query and an outage of the database stops changes, not answers. It implements [rag.Index] over any other and must
// know only the local index and the replicated table.
package replica

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"maru/rag"
	"maru/rag/vec"
)

//go:embed schema.sql
var schema string

// Local is this replica's index.
type Local interface {
	rag.Index
	rag.Finder
	rag.Sampler
	rag.Scoper
	vec.Covered
}

// Entry is a document with its passages.
type Entry struct {
	Document rag.Document
	Chunks   []rag.Chunk
}

// Config configures an Index.
type Config struct {
	URL    string // of PostgreSQL
	Schema string // where the tables stand; default "maru"
	Local  Local  // closed with the Index
	// PutAll puts many documents into Local at once; nil puts one by one.
	PutAll func(ctx context.Context, entries []Entry) error
	Poll   time.Duration // polling interval without notifications; default 5 s
	Log    *slog.Logger  // nil discards
}

// Index implements [rag.Index]. Methods not overridden go to the local index.
type Index struct {
	Local

	cfg    Config
	log    *slog.Logger
	pool   *pgxpool.Pool
	follow sync.Mutex // one reader of the log at a time; guards at
	at     position
	stop   context.CancelFunc
	done   sync.WaitGroup
	once   sync.Once
	closed error
}

var (
	_ rag.Index   = (*Index)(nil)
	_ rag.Finder  = (*Index)(nil)
	_ rag.Sampler = (*Index)(nil)
	_ rag.Scoper  = (*Index)(nil)
)

// Open connects, creates the tables if missing, and catches the local index up with the log before it returns. The
// caller closes the index, not cfg.Local; after an error cfg.Local is still the caller's.
func Open(ctx context.Context, cfg Config) (*Index, error) {
	if cfg.Schema == "" {
		cfg.Schema = "maru"
	}
	if cfg.Poll <= 0 {
		cfg.Poll = 5 * time.Second
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	x := &Index{Local: cfg.Local, cfg: cfg, log: cfg.Log}
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil { // it names the fault and hides the password
		return nil, fmt.Errorf("rag/replica: DATABASE_URL: %w", err)
	}
	pc.MaxConns = 4
	pc.ConnConfig.RuntimeParams["search_path"] = pgx.Identifier{cfg.Schema}.Sanitize()
	pc.ConnConfig.RuntimeParams["statement_timeout"] = "30000"
	pc.ConnConfig.RuntimeParams["lock_timeout"] = "10000"
	pc.ConnConfig.RuntimeParams["application_name"] = "maru documents"
	if x.pool, err = pgxpool.NewWithConfig(ctx, pc); err != nil {
		return nil, fmt.Errorf("rag/replica: open the pool: %w", err)
	}
	if err := x.begin(ctx); err != nil {
		x.pool.Close()
		return nil, err
	}
	bg, stop := context.WithCancel(context.WithoutCancel(ctx))
	x.stop = stop
	x.done.Go(func() { x.followLoop(bg) })
	return x, nil
}

func (x *Index) begin(ctx context.Context) error {
	if err := x.migrate(ctx); err != nil {
		return fmt.Errorf("rag/replica: make the tables: %w", err)
	}
	if err := x.lockAndReadPosition(ctx); err != nil {
		return fmt.Errorf("rag/replica: where this replica stands: %w", err)
	}
	if err := x.catchUp(ctx); err != nil {
		return fmt.Errorf("rag/replica: follow the log: %w", err)
	}
	return nil
}

// schemaLock serialises replicas that create the tables at once.
const schemaLock = 0x6d617275_646f6373 // "marudocs"

func (x *Index) migrate(ctx context.Context) error {
	return x.tx(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(schemaLock)); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `CREATE SCHEMA IF NOT EXISTS `+pgx.Identifier{x.cfg.Schema}.Sanitize()); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, schema); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `INSERT INTO rag_log (id) VALUES (gen_random_uuid()::text) ON CONFLICT DO NOTHING`)
		return err
	})
}

func (x *Index) tx(ctx context.Context, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, x.pool, f)
}

// Put commits the document, waits until this replica can find it, and notifies the others.
func (x *Index) Put(ctx context.Context, doc rag.Document, chunks []rag.Chunk) error {
	// Documents that the local index would refuse must not reach the log.
	if err := rag.Check(doc, chunks); err != nil {
		return fmt.Errorf("rag/replica: put %s: %w", doc.ID, err)
	}
	if doc.Scope == ownScope {
		return fmt.Errorf("rag/replica: put %s: the scope %q is taken", doc.ID, doc.Scope)
	}
	doc.Chunks = len(chunks)
	meta, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("rag/replica: put %s: %w", doc.ID, err)
	}
	body, err := pack(chunks)
	if err != nil {
		return fmt.Errorf("rag/replica: put %s: %w", doc.ID, err)
	}
	err = x.tx(ctx, func(tx pgx.Tx) error {
		number, err := next(ctx, tx)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO rag_documents (id, number, scope, document, chunks) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (id) DO UPDATE SET number = excluded.number, scope = excluded.scope, document = excluded.document, chunks = excluded.chunks`,
			doc.ID, number, doc.Scope, meta, body)
		if err != nil {
			return err
		}
		return x.notify(ctx, tx)
	})
	if err != nil {
		return fmt.Errorf("rag/replica: put %s: %w", doc.ID, err)
	}
	return x.catchUp(ctx)
}

// Delete removes a document for every replica.
func (x *Index) Delete(ctx context.Context, scope, id string) (bool, error) {
	gone := false
	err := x.tx(ctx, func(tx pgx.Tx) error {
		number, err := next(ctx, tx)
		if err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `UPDATE rag_documents SET number = $1, document = NULL, chunks = NULL WHERE id = $2 AND scope = $3 AND document IS NOT NULL`, number, id, scope)
		if err != nil {
			return err
		}
		if gone = tag.RowsAffected() > 0; !gone {
			return nil
		}
		return x.notify(ctx, tx)
	})
	if err != nil {
		return false, fmt.Errorf("rag/replica: delete %s: %w", id, err)
	}
	return gone, x.catchUp(ctx)
}

// next allocates a change's number; the row stays locked until the commit.
func next(ctx context.Context, tx pgx.Tx) (number int64, err error) {
	err = tx.QueryRow(ctx, `UPDATE rag_log SET number = number + 1 RETURNING number`).Scan(&number)
	return number, err
}

func (x *Index) channel() string { return "maru_rag_" + x.cfg.Schema }

func (x *Index) notify(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_notify($1, '')`, x.channel())
	return err
}

// Close stops replication and closes the local index. It is idempotent.
func (x *Index) Close() error {
	x.once.Do(func() {
		x.stop()
		x.done.Wait()
		x.pool.Close()
		x.closed = x.Local.Close()
	})
	return x.closed
}

// compressors are used again: a new one costs 0.8 MB, and a program that starts packs a document after the other.
var compressors = sync.Pool{New: func() any { return gzip.NewWriter(io.Discard) }}

func pack(chunks []rag.Chunk) ([]byte, error) {
	var b bytes.Buffer
	z, _ := compressors.Get().(*gzip.Writer)
	defer func() {
		z.Reset(io.Discard) // it would keep the body
		compressors.Put(z)
	}()
	z.Reset(&b)
	if err := errors.Join(json.NewEncoder(z).Encode(chunks), z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// maxUnpacked bounds the passages of one document; the loader's own bound is far lower.
const maxUnpacked = 256 << 20

func unpack(body []byte) ([]rag.Chunk, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	var chunks []rag.Chunk
	return chunks, errors.Join(json.NewDecoder(io.LimitReader(z, maxUnpacked)).Decode(&chunks), z.Close())
}
