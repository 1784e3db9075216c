package sqlitestore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"maru/agent/graph"
	"maru/bot"
	"maru/memory/sqlitestore/lock"
)

var (
	_ bot.Record         = (*Store)(nil)
	_ graph.Checkpointer = (*Store)(nil)

	_ graph.NamespaceDropper = (*Store)(nil)
)

// Config configures the record's file.
type Config struct {
	Path string           // the database file; its folder is created if missing
	Full bool             // sync at every commit, to survive a power failure and not only a crash
	Now  func() time.Time // the store's clock; default time.Now
	Log  *slog.Logger     // of maintenance; default: silent

	// Readers is the largest number of connections that read; default 4. Each reads the schema when it opens, prepares
	// its own statements and has pages in memory.
	Readers int

	steps fs.FS // instead of the program's own migrations
}

// Store is the record in one file. It implements [bot.Record] and
// [graph.Checkpointer]; its methods are safe for concurrent use.
type Store struct {
	cfg   Config
	lock  *flock.Flock
	write *writer
	db    *sql.DB // the writer's connection
	read  *sql.DB // the readers' connections
	stmts sync.Map

	tokens tokens
	stop   context.CancelFunc
	upkeep sync.WaitGroup
}

var ErrInUse = lock.ErrInUse // another process has the file open

// Open opens the record, creates missing parts and brings the schema forward. A second process gets [ErrInUse], an
// unreadable file [ErrDamaged]. The caller closes the store.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Path == "" {
		return nil, errors.New("sqlitestore: Config.Path is empty")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	cfg.Log = cmp.Or(cfg.Log, slog.New(slog.DiscardHandler))
	cfg.Readers = cmp.Or(cfg.Readers, 4)
	if err := os.MkdirAll(filepath.Dir(cfg.Path), 0o700); err != nil {
		return nil, fmt.Errorf("sqlitestore: make the data folder: %w", err)
	}
	held, err := lock.Acquire(cfg.Path)
	if err != nil {
		return nil, err
	}
	s := &Store{cfg: cfg, lock: held}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(damaged(err), s.release())
	}
	return s, nil
}

// open connects writer and readers.
func (s *Store) open(ctx context.Context) error {
	known, err := s.cfg.known()
	if err != nil {
		return err
	}
	// Created here so that only its owner can read it; SQLite copies the mode to its companion files.
	f, err := os.OpenFile(s.cfg.Path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return fmt.Errorf("sqlitestore: open %s: %w", s.cfg.Path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("sqlitestore: open %s: %w", s.cfg.Path, err)
	}
	if s.db, err = sql.Open("sqlite", dsn(s.cfg, false)); err != nil {
		return fmt.Errorf("sqlitestore: open %s: %w", s.cfg.Path, err)
	}
	s.db.SetMaxOpenConns(2) // the writer and the checkpoints of its log
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("sqlitestore: open %s: %w", s.cfg.Path, err)
	}
	if err := migrate(ctx, conn, known, s.cfg.Now()); err != nil {
		return errors.Join(err, conn.Close())
	}
	// This process holds the file's lock, so the holders of old leases are dead: their threads need not wait for
	// expiry. The owner stays, for InHand.
	if _, err := conn.ExecContext(ctx, `UPDATE threads SET until = 0 WHERE until > 0`); err != nil {
		return errors.Join(fmt.Errorf("sqlitestore: end the leases of the last process: %w", err), conn.Close())
	}
	// The same holds for jobs. A job in backoff keeps waiting: frequent restarts must not use up its attempts.
	if _, err := conn.ExecContext(ctx, `UPDATE jobs SET due = at WHERE dead = 0 AND attempts > 0 AND why = ''`); err != nil {
		return errors.Join(fmt.Errorf("sqlitestore: free the jobs of the last process: %w", err), conn.Close())
	}
	s.write = newWriter(conn)
	if s.read, err = sql.Open("sqlite", dsn(s.cfg, true)); err != nil {
		return fmt.Errorf("sqlitestore: open %s: %w", s.cfg.Path, err)
	}
	s.read.SetMaxOpenConns(s.cfg.Readers)
	s.read.SetMaxIdleConns(s.cfg.Readers)
	upkeep, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.upkeep.Go(func() { s.keep(upkeep) })
	return nil
}

// dsn returns the data source name with the settings of each connection. Maintenance checkpoints the write-ahead
// log, so that no commit has to (SQLite's default is every thousandth page).
func dsn(cfg Config, readOnly bool) string {
	sync := "NORMAL"
	if cfg.Full {
		sync = "FULL"
	}
	cache := "4096" // KiB, in front of the system's page cache
	if readOnly {
		cache = "512" // for each reader
	}
	q := url.Values{"_pragma": {
		"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(" + sync + ")",
		"wal_autocheckpoint(0)", "journal_size_limit(16777216)", "cache_size(-" + cache + ")", "temp_store(MEMORY)",
		"secure_delete(1)", // deleted text must not stay in free pages
	}}
	if readOnly {
		q.Add("_pragma", "query_only(1)")
	}
	u := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(cfg.Path)}).EscapedPath(), RawQuery: q.Encode()}
	return u.String()
}

// Ping reports whether the record can commit, by committing.
func (s *Store) Ping(ctx context.Context) error {
	return s.SetNote(ctx, "sqlitestore/ping", s.cfg.Now().UTC().Format(time.RFC3339))
}

// Close waits for running writes and releases the file.
func (s *Store) Close() error {
	if s.stop != nil {
		s.stop()
	}
	s.upkeep.Wait()
	return s.release()
}

// release closes all open parts, in an order that leaves a single file.
func (s *Store) release() error {
	var errs []error
	s.stmts.Range(func(_, v any) bool {
		if st, ok := v.(*sql.Stmt); ok {
			errs = append(errs, st.Close())
		}
		return true
	})
	if s.read != nil {
		errs = append(errs, s.read.Close())
	}
	if s.write != nil {
		errs = append(errs, s.write.close())
	}
	if s.db != nil { // closing the last connection empties the write-ahead log
		errs = append(errs, s.db.Close())
	}
	return errors.Join(append(errs, s.lock.Unlock())...)
}

// change commits one statement and returns the number of rows changed.
func (s *Store) change(ctx context.Context, what, query string, args ...any) (n int64, err error) {
	err = s.write.run(ctx, func(t *tx) (err error) {
		n, err = t.exec(query, args...)
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: %s: %w", what, err)
	}
	return n, nil
}

// query returns the prepared form of a read. A limit is written "LIMIT 0 + ?": SQLite plans by the value of a bare
// parameter there, and so compiles the statement again whenever one is bound.
func (s *Store) query(text string) (*sql.Stmt, error) {
	if st, ok := s.stmts.Load(text); ok {
		return st.(*sql.Stmt), nil //nolint:errcheck // nothing else is stored
	}
	st, err := s.read.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: prepare: %w", err)
	}
	if first, loaded := s.stmts.LoadOrStore(text, st); loaded {
		return first.(*sql.Stmt), st.Close() //nolint:errcheck // nothing else is stored
	}
	return st, nil
}

// wrap names what failed; nil stays nil.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sqlitestore: %s: %w", doing, err)
}

// one reads one row with scan and returns bot.ErrNotFound if there is none. A running read is not cancellable: for
// that database/sql and the driver would each start a goroutine, which takes longer than most reads.
func one[T any](ctx context.Context, s *Store, scan func(scanner) (T, error), query string, args ...any) (T, error) {
	var zero T
	if err := ctx.Err(); err != nil {
		return zero, err
	}
	st, err := s.query(query)
	if err != nil {
		return zero, err
	}
	v, err := scan(st.QueryRowContext(context.WithoutCancel(ctx), args...))
	if errors.Is(err, sql.ErrNoRows) {
		return zero, bot.ErrNotFound
	}
	return v, err
}

// all reads the rows of a query with scan; what names them in errors. It checks ctx between rows; see [one] for why not within.
func all[T any](ctx context.Context, s *Store, what string, scan func(scanner) (T, error), query string, args ...any) ([]T, error) {
	list, err := scanAll(ctx, s, scan, query, args...)
	return list, wrap(what, err)
}

func scanAll[T any](ctx context.Context, s *Store, scan func(scanner) (T, error), query string, args ...any) (list []T, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	st, err := s.query(query)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(context.WithoutCancel(ctx), args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, rows.Err()
}

// scanner is a row that can be read.
type scanner interface{ Scan(dest ...any) error }
