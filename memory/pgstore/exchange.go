package pgstore

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"maru/bot"
	"maru/bot/exchange"
)

var _ exchange.Store = (*Store)(nil)

// SaveExchanges stores the exchanges of a run that is kept.
func (s *Store) SaveExchanges(ctx context.Context, run, thread string, at time.Time, rows []exchange.Row) error {
	args := exchangeArgs(run, thread, at, rows)
	return s.exec(ctx, "save exchanges", sqlSaveExchanges, args)
}

// SaveRunWith saves a run together with its exchanges.
func (s *Store) SaveRunWith(ctx context.Context, run bot.Run, at time.Time, rows []exchange.Row) error {
	return s.saveRun(ctx, run, sqlSaveRunWith, exchangeArgs(run.ID, run.Thread, at, rows))
}

// The statements that store exchanges, of a run that is there and with the run itself.
const (
	sqlSaveExchanges = `WITH r AS (SELECT id, thread FROM runs WHERE id = @run AND thread = @thread FOR KEY SHARE)` + sqlExchangesOf
	sqlSaveRunWith   = `WITH r AS (` + sqlSaveRun + ` RETURNING id, thread)` + sqlExchangesOf
	sqlExchangesOf   = ` INSERT INTO exchanges (run, id, thread, at, body) SELECT r.id, x.id, r.thread, @at, x.body
		FROM r, unnest(@ids::text[], @bodies::bytea[]) x (id, body) ON CONFLICT (run, id) DO NOTHING`
)

func exchangeArgs(run, thread string, at time.Time, rows []exchange.Row) named {
	ids, bodies := make([]string, len(rows)), make([][]byte, len(rows))
	for i, r := range rows {
		ids[i], bodies[i] = r.ID, r.Body
	}
	return named{"run": run, "thread": thread, "at": at, "ids": ids, "bodies": bodies}
}

// Exchanges lists the exchanges of a run.
func (s *Store) Exchanges(ctx context.Context, run string) ([]exchange.Row, error) {
	scan := func(r pgx.CollectableRow) (v exchange.Row, err error) {
		err = r.Scan(&v.ID, &v.Body)
		return v, err
	}
	list, err := all(ctx, s, scan, `SELECT id, body FROM exchanges WHERE run = $1`, run)
	return list, wrap("exchanges", err)
}

// sqlDropExchanges deletes the exchanges of a thread, whose prompts quote it.
const sqlDropExchanges = `DELETE FROM exchanges WHERE thread = $1`

// DropExchanges deletes the exchanges of a thread.
func (s *Store) DropExchanges(ctx context.Context, thread string) error {
	return s.exec(ctx, "drop exchanges", sqlDropExchanges, thread)
}

// pruneExchanges limits the exchanges deleted at a time, so that locks are short.
const pruneExchanges = 2000

// PruneExchanges deletes exchanges that were saved before a time.
func (s *Store) PruneExchanges(ctx context.Context, before time.Time) (int, error) {
	var n int
	err := s.try(ctx, func(ctx context.Context, _ bool) error {
		tag, err := s.pool.Exec(ctx, `DELETE FROM exchanges WHERE (run, id) IN (SELECT run, id FROM exchanges WHERE at < $1 ORDER BY at LIMIT $2)`, before, pruneExchanges)
		n = int(tag.RowsAffected())
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("pgstore: prune exchanges: %w", err)
	}
	return n, nil
}
