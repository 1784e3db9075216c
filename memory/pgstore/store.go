package pgstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"maru/agent/graph"
	"maru/bot"
)

var (
	_ bot.Record         = (*Store)(nil)
	_ bot.Waker          = (*Store)(nil)
	_ bot.Stopper        = (*Store)(nil)
	_ graph.Checkpointer = (*Store)(nil)

	_ graph.NamespaceDropper = (*Store)(nil)
)

// Config configures the record's database.
type Config struct {
	URL      string        // postgres://…; pool_max_conns sets the size of the pool, default 10
	Schema   string        // created if missing; default "maru"
	Timeout  time.Duration // per statement on the server; default 10 s
	Patience time.Duration // retries after a lost connection; default 2 s
	Log      *slog.Logger  // of maintenance; default: silent

	steps fs.FS // instead of the program's own migrations
}

// Store is the record in PostgreSQL. It implements [bot.Record], [bot.Waker]
// and [graph.Checkpointer]; its methods are safe for concurrent use.
type Store struct {
	cfg    Config
	pool   *pgxpool.Pool
	own    sync.Map // process IDs of the pool's connections at the server
	freed  sync.Map // tokens of leases that Finish ended, until Next or Release is called
	stop   context.CancelFunc
	upkeep sync.WaitGroup
	// vectors is the quoted schema of pgvector's type; "" without pgvector.
	vectors string
	// refusedAt is the time of the last logged refusal, in nanoseconds.
	refusedAt atomic.Int64
	// away is set while the last needed connection failed: callers with a short deadline get this reason instead of a
	// timeout.
	away atomic.Bool
}

// Open connects and migrates the schema; replicas that start concurrently wait for each other. The caller closes
// the store.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	cfg = cfg.defaults()
	vectors, err := migrate(ctx, cfg)
	if err != nil {
		return nil, err
	}
	pc, err := cfg.pool()
	if err != nil {
		return nil, err
	}
	upkeep, stop := context.WithCancel(context.WithoutCancel(ctx))
	s := &Store{cfg: cfg, stop: stop, vectors: vectors}
	pc.AfterConnect = func(_ context.Context, c *pgx.Conn) error { s.own.Store(c.PgConn().PID(), true); return nil }
	pc.BeforeClose = func(c *pgx.Conn) { s.own.Delete(c.PgConn().PID()) }
	if s.pool, err = pgxpool.NewWithConfig(ctx, pc); err != nil {
		stop()
		return nil, fmt.Errorf("pgstore: open the pool: %w", err)
	}
	s.upkeep.Go(func() { s.keep(upkeep) })
	return s, nil
}

// defaults fills unset fields.
func (c Config) defaults() Config {
	c.Schema = cmp.Or(c.Schema, "maru")
	c.Timeout = cmp.Or(max(c.Timeout, 0), 10*time.Second)
	c.Patience = cmp.Or(max(c.Patience, 0), 2*time.Second)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	return c
}

// pingAfter is the idle time after which a connection is pinged before use, at the cost of one round trip.
const pingAfter = time.Minute

// pool returns the configuration of the connections.
func (c Config) pool() (*pgxpool.Config, error) {
	pc, err := pgxpool.ParseConfig(c.URL)
	if err != nil { // it names the error and hides the password
		return nil, fmt.Errorf("pgstore: DATABASE_URL: %w", err)
	}
	if !strings.Contains(c.URL, "pool_max_conns") {
		pc.MaxConns = 10
	}
	// A recently used connection is not pinged: a statement on a dead one is retried, see [Store.try].
	pc.ShouldPing = func(_ context.Context, p pgxpool.ShouldPingParams) bool { return p.IdleDuration > pingAfter }
	pc.ConnConfig.ConnectTimeout = cmp.Or(pc.ConnConfig.ConnectTimeout, 5*time.Second)
	ms := func(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
	for name, value := range map[string]string{
		"search_path":                         pgx.Identifier{c.Schema}.Sanitize(),
		"statement_timeout":                   ms(c.Timeout),
		"lock_timeout":                        ms(c.Timeout / 2),
		"idle_in_transaction_session_timeout": ms(2 * c.Timeout),
		"timezone":                            "UTC",
		"application_name":                    "maru",
	} {
		pc.ConnConfig.RuntimeParams[name] = value
	}
	return pc, nil
}

// Ping reports whether the record can commit, by committing.
func (s *Store) Ping(ctx context.Context) error {
	return s.SetNote(ctx, "pgstore/ping", time.Now().UTC().Format(time.RFC3339))
}

// Close waits for maintenance and closes the connections.
func (s *Store) Close() error {
	s.stop()
	s.upkeep.Wait()
	s.pool.Close()
	return nil
}

// newOp returns a unique call name, by which a retry recognises the first attempt's effects.
func newOp() string { return rand.Text() }

// stamp stores a time; the zero time is NULL.
func stamp(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// when reverses stamp, in UTC.
func when(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// clean returns text that PostgreSQL accepts: without zero bytes and invalid UTF-8.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

// maxList limits lists for which the caller sets no limit.
const maxList = 1000

// bound returns a list's limit in rows.
func bound(limit int) int {
	if limit <= 0 || limit > maxList {
		return maxList
	}
	return limit
}

// text converts raw JSON for a json column.
func text(raw json.RawMessage) any {
	if raw == nil {
		return nil
	}
	return string(raw)
}

// wrap names what failed; nil stays nil.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("pgstore: %s: %w", doing, err)
}

// one reads one row with scan and returns bot.ErrNotFound if there is none.
func one[T any](ctx context.Context, s *Store, scan pgx.RowToFunc[T], query string, args ...any) (T, error) {
	var v T
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		rows, err := s.pool.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		v, err = pgx.CollectExactlyOneRow(rows, scan)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return v, bot.ErrNotFound
	}
	return v, err
}

// all reads the rows of a query with scan.
func all[T any](ctx context.Context, s *Store, scan pgx.RowToFunc[T], query string, args ...any) ([]T, error) {
	var list []T
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		rows, err := s.pool.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		list, err = pgx.CollectRows(rows, scan)
		return err
	})
	return list, err
}

// exec runs a statement that returns nothing; doing names it in errors.
func (s *Store) exec(ctx context.Context, doing, query string, args ...any) error {
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		_, err := s.pool.Exec(ctx, query, args...)
		return err
	})
	if err != nil {
		return fmt.Errorf("pgstore: %s: %w", doing, err)
	}
	return nil
}
