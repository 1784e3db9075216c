package sqlitestore

import (
	"context"
	"fmt"
	"time"

	"maru/bot"
	"maru/bot/exchange"
)

var _ exchange.Store = (*Store)(nil)

// SaveExchanges stores the exchanges of a run that is kept.
func (s *Store) SaveExchanges(ctx context.Context, run, thread string, at time.Time, rows []exchange.Row) error {
	if err := s.write.run(ctx, func(t *tx) error { return saveExchanges(t, run, thread, at, rows) }); err != nil {
		return fmt.Errorf("sqlitestore: save exchanges: %w", err)
	}
	return nil
}

// SaveRunWith saves a run together with its exchanges.
func (s *Store) SaveRunWith(ctx context.Context, run bot.Run, at time.Time, rows []exchange.Row) error {
	err := s.write.run(ctx, func(t *tx) error {
		if err := saveRun(t, run); err != nil {
			return err
		}
		return saveExchanges(t, run.ID, run.Thread, at, rows)
	})
	return wrap("save run", err)
}

func saveExchanges(t *tx, run, thread string, at time.Time, rows []exchange.Row) error {
	for _, r := range rows {
		if _, err := t.exec(`INSERT INTO exchanges (run, id, thread, at, body) SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM runs WHERE id = ?1 AND thread = ?3)
			ON CONFLICT (run, id) DO NOTHING`, run, r.ID, thread, micros(at), r.Body); err != nil {
			return err
		}
	}
	return nil
}

// Exchanges lists the exchanges of a run.
func (s *Store) Exchanges(ctx context.Context, run string) ([]exchange.Row, error) {
	scan := func(r scanner) (v exchange.Row, err error) {
		err = r.Scan(&v.ID, &v.Body)
		return v, err
	}
	return all(ctx, s, "exchanges", scan, `SELECT id, body FROM exchanges WHERE run = ?`, run)
}

// sqlDropExchanges deletes the exchanges of a thread, whose prompts quote it.
const sqlDropExchanges = `DELETE FROM exchanges WHERE thread = ?`

// DropExchanges deletes the exchanges of a thread.
func (s *Store) DropExchanges(ctx context.Context, thread string) error {
	_, err := s.change(ctx, "drop exchanges", sqlDropExchanges, thread)
	return err
}

// pruneExchanges limits the exchanges deleted at a time, so that no other writer waits for long.
const pruneExchanges = 2000

// PruneExchanges deletes exchanges that were saved before a time.
func (s *Store) PruneExchanges(ctx context.Context, before time.Time) (int, error) {
	n, err := s.change(ctx, "prune exchanges", `DELETE FROM exchanges WHERE rowid IN (SELECT rowid FROM exchanges WHERE at < ? ORDER BY at LIMIT 0 + ?)`,
		micros(before), pruneExchanges)
	return int(n), err
}
